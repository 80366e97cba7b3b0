//! Cameras, relay boards and files as they are: pseudo-terminals, processes, broken pictures.

mod bad_pictures;
mod camera;
#[path = "../shared/driven.rs"]
mod driven;
#[path = "../shared/eventually.rs"]
mod eventually;
mod faults;
mod files;
mod firmware;
mod keep_alive;
mod relay;
mod relay_ports;
mod safety;
#[path = "../shared/skip.rs"]
mod skip;
