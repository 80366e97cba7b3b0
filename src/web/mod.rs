//! The page that a person uses: a small server, on loopback unless asked otherwise, with everything it needs in the
//! program itself. Nobody comes in without the run's token.
//!
//! The robot's loop and the page meet in [`newest::Newest`]: the loop leaves what it has seen and never waits; the
//! page's thread turns it into JSON and JPEG, and only while somebody looks. Viewers *ask* for the picture after the
//! one they have, so a slow or dead one costs nothing and gets fewer pictures. What a person wants goes the other way: STOP
//! straight to the relays' executor, everything else as an order that the loop takes when it comes by.
//!
//! Three threads: the `door` takes every connection, reads its first request, refuses strangers and hands STOP to the
//! thread of the `stopper`, which does nothing else; only who comes with the token to look or to order gets one of the
//! page's own few seats. So neither a crowd of sockets nor a house full of viewers stands in STOP's way.

mod advice;
#[cfg(feature = "page")]
mod assets;
mod boards;
mod control;
#[cfg(feature = "page")]
mod desk;
mod diary;
#[cfg(feature = "page")]
mod door;
mod download;
mod geometry;
#[cfg(feature = "page")]
mod guard;
#[cfg(feature = "page")]
mod guests;
mod hand;
#[cfg(feature = "page")]
mod handoff;
mod heights;
mod newest;
mod packet;
mod presses;
mod replay;
#[cfg(feature = "page")]
mod reply;
#[cfg_attr(not(feature = "page"), path = "no_server.rs")]
mod server;
mod site;
#[cfg(feature = "page")]
mod stopper;
#[cfg(feature = "page")]
mod stream;
mod thumbnails;
mod tuning;
mod watch;
mod workbench;

pub use advice::{Health, Rate, warnings};
pub use boards::{Boards, Ports};
pub use control::{Control, Hold};
pub use diary::{Diary, Said};
pub use download::Download;
pub use geometry::view as view_of;
#[cfg(feature = "page")]
pub use guard::{Guard, Refusal, Token};
pub use hand::{Hand, Tab};
pub use heights::{HeightFit, Heights};
pub use newest::Newest;
pub use packet::Packet;
pub use presses::{BoardLog, LoggedBoard, Planned};
pub use replay::{Deeds, Export, Mark, Recording, Scene};
pub use server::{Server, ServerError};
pub use site::{Answer, PageKind, Site};
pub use tuning::{Measurement, Tuning, TuningShot, Wish};
pub use watch::{Numbers, Shot, Thoughts, Watch};
pub use workbench::{Edit, EditError, Side, Workbench};
