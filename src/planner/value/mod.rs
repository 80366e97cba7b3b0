//! A learned value.

pub mod patterns;
