//! What one piece taught about the hand.

use crate::belief::blame::cause::Cause;
use crate::game::Buttons;

/// What a piece that has locked says about the rig.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conclusion {
    /// Who is to blame; nobody if all worked, or if nobody knows.
    pub causes: Vec<Cause>,
    /// Presses that did what they should, and those that were lost or counted twice: the button of each.
    pub worked: Vec<Buttons>,
    /// The same of presses that were lost.
    pub lost: Vec<Buttons>,
    /// Something went wrong and nothing explains it.
    pub is_open: bool,
}
