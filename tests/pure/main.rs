//! The rules, the planner, the belief and the robot, without a picture or with pictures of the twin.

mod belief;
mod belief_clears;
mod belief_converges;
mod belief_hold;
mod belief_scene;
mod belief_smooth;
mod blame;
#[path = "../shared/driven.rs"]
mod driven;
mod game_clock;
mod game_nes;
mod game_nes_quirks;
mod guideline;
mod movie;
mod nes_demo;
mod nes_endings;
mod nes_listing;
mod nes_two;
mod planner_filters;
mod planner_support;
mod planner_timed;
mod plans;
mod plans_table;
mod proof;
mod relay_boards;
mod rig;
mod rig_support;
mod robot;
#[path = "../shared/skip.rs"]
mod skip;
mod standard;
mod twin_camera;
