//! Learns how the rig behaves by pressing and watching: how long contacts take, how far single ones lie apart, when the
//! console polls, and how late the camera shows it. Pure: experiments in, estimates out.
//!
//! A press counts at the first poll after the contact has closed. Sent a little earlier or later, it is read by one poll or
//! by the next: where that flips, the contact meets the poll, and the width of the flip is the contact's spread. The
//! pictures tell by which frame a press was read, for they show on which frame the piece moved. How long a direction was
//! held is counted in frames, too: auto-shift moves the piece once more if the 16th poll after the first still sees it.
//!
//! Not everything can be told apart. A camera that is 1 ms later and contacts that are 1 ms quicker look the same, in every
//! experiment and in every game: what is measured is the sum *eye + close* and the difference *open − close*. The
//! calibration's `close` (mean of the direction buttons) keeps its typical value, `eye` gets the rest; nothing that is
//! planned or pressed depends on how the sum is shared out. Times are counted from when a command's last byte is at the board.

pub mod aim;
pub mod contact;
pub mod estimate;
pub mod experimenter;
pub mod release;
pub mod result;
pub mod trial;

pub use aim::Aim;
pub use estimate::{Fit, fit};
pub use experimenter::{Experimenter, Learned, Progress, RigError, check_game};
pub use release::{Release, fit_release};
pub use trial::{Kind, Picture, Trial};
