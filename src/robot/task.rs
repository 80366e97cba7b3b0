//! What is to be done about the falling piece, or the next one: one state, and every way from one to another.

use super::effects::Target;
use super::foresight::Foretold;
use crate::belief::Spawned;
use crate::game::orientation::Pose;
use crate::schedule::ButtonSchedule;
use crate::time::HostTime;

/// Moves that must have shown for so long, ms, and were in no picture, are looked for as for a piece that is lost.
const UNSEEN_MS: f64 = 300.0;

/// What is to be done.
#[derive(Debug, Clone, Default)]
pub(super) enum Task {
    /// Nothing but to watch what the presses do.
    #[default]
    Follow,
    /// A piece has appeared: plan it.
    Place(Spawned),
    /// A turn is being tried, whose effect must be seen first.
    Watch(Trial),
    /// The piece was put aside; by then the one in its place must be seen.
    Swap(HostTime),
    /// The piece is not where its presses should have taken it: end them.
    CallOff,
    /// A press was lost or counted twice: plan from where that has taken the piece.
    Correct,
    /// The piece was moved, which must show at that time: it is dropped when a later picture has shown it in its column.
    Confirm(Moves),
    /// At that time all that was pressed must show: plan from where the piece is seen.
    Find(HostTime),
    /// Plan the next piece before it appears.
    Foresee(Foretold),
}

/// What a picture, the board or a person has changed.
#[derive(Debug)]
pub(super) enum News {
    /// A piece has appeared where pieces do.
    Appeared(Spawned),
    /// A piece was first seen pushed or turned, though nothing was pressed.
    AppearedElsewhere(HostTime),
    /// A turn is being tried.
    Tried(Trial),
    /// The piece was put aside, which must be seen by then.
    PutAside(HostTime),
    /// The piece is being moved there, and its drop waits: the moves show at that time.
    Moved(HostTime, Target),
    /// A picture shows where the moves have taken the piece.
    Shown(HostTime),
    /// There is no falling piece any more.
    Gone,
    /// All presses were called off; what they did shows at that time, if a piece falls.
    CalledOff(Option<HostTime>),
    /// Presses went wrong in a way that explains what is seen.
    Explained,
    /// The piece is where no press can have put it.
    Lost,
    /// The next piece must be planned before the next picture, or need not be.
    Foretold(Option<Foretold>),
    /// Nobody steers the piece; what was pressed shows at that time.
    Adrift(HostTime),
    /// The robot rests.
    Rests,
}

impl Task {
    /// What is to be done after some news.
    pub(super) fn after(self, news: News) -> Self {
        match (news, self) {
            // Whatever was to be done was about another piece, or about presses that are no more.
            (News::Appeared(spawned), _) => Self::Place(spawned),
            (News::AppearedElsewhere(seen), _) => Self::Find(seen),
            (News::Tried(trial), _) => Self::Watch(trial),
            (News::PutAside(seen), _) => Self::Swap(seen),
            (News::Moved(shows, target), _) => Self::Confirm(Moves { shows, target, astray: None }),
            (News::Gone, _) => Self::Follow,
            (News::CalledOff(shows), _) => shows.map_or(Self::Follow, Self::Find),
            // What is to be decided anew needs no second reason.
            (_, task @ (Self::Place(_) | Self::Watch(_) | Self::Swap(_) | Self::Find(_))) => task,
            (News::Rests, _) => Self::Follow,
            (News::Lost, _) => Self::CallOff,
            (_, Self::CallOff) => Self::CallOff,
            (News::Explained, _) => Self::Correct,
            (_, Self::Correct) => Self::Correct,
            (News::Adrift(shows) | News::Shown(shows), _) => Self::Find(shows),
            (News::Foretold(_), task @ Self::Confirm(_)) => task,
            (News::Foretold(next), _) => next.map_or(Self::Follow, Self::Foresee),
        }
    }

    /// When there is something to decide, which may be past.
    pub(super) fn due(&self) -> Option<HostTime> {
        match self {
            Self::Follow => None,
            Self::Watch(trial) => Some(trial.over()),
            Self::Confirm(moves) => Some(moves.shows.plus_ms(UNSEEN_MS)),
            Self::Swap(shows) | Self::Find(shows) => Some(*shows),
            Self::Place(_) | Self::CallOff | Self::Correct | Self::Foresee(_) => Some(HostTime::default()),
        }
    }

    /// Whether something is to be done about the falling piece.
    pub(super) fn is_pending(&self) -> bool {
        !matches!(self, Self::Follow | Self::Foresee(_))
    }

    /// Whether what is seen of the falling piece tells whether its presses worked.
    pub(super) fn is_watched(&self) -> bool {
        !matches!(self, Self::Watch(_) | Self::Swap(_) | Self::Find(_) | Self::CallOff)
    }
}

/// The moves of a piece whose drop waits.
#[derive(Debug, Clone)]
pub(super) struct Moves {
    /// When all of them must show.
    pub shows: HostTime,
    /// Where they take it.
    pub target: Target,
    /// Where the piece was seen after that, in another column or turned otherwise than it should be, and since when.
    pub astray: Option<(Pose, HostTime)>,
}

/// A piece that was turned once to see what that does.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    /// The piece.
    pub spawned: Spawned,
    /// The press.
    pub tap: ButtonSchedule,
    /// When its effect must have been seen.
    pub until: HostTime,
    /// Where the piece was seen after it.
    pub seen: Option<Pose>,
}

impl Trial {
    /// When the tap has ended and its effect was seen, or never will be.
    fn over(&self) -> HostTime {
        let seen = self.seen.map(|_| self.tap.end().unwrap_or_default());
        seen.map_or(self.until, |end| end.min(self.until))
    }
}
