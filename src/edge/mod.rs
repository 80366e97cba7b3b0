//! Where the program touches the world: cameras, relay boards, recordings, and the simulated table behind the same edges.
pub mod camera;
pub mod relay;
pub mod session;
pub mod simulated;
