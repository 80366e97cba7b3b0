//! What a person sees in the terminal while the robot plays.
