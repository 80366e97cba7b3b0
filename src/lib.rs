//! A robot hand for falling-block games. See the README for the way of one piece from photon to contact.

pub mod app;
pub mod belief;
pub mod calibration;
pub mod camera;
pub mod game;
pub mod handling;
pub mod layout;
pub mod message;
pub mod planner;
pub mod relay;
pub mod robot;
pub mod schedule;
pub mod session;
pub mod time;
pub mod twin;
pub mod vision;
