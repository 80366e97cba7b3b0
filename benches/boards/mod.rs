//! Named boards, the same in all benchmarks.

use stackhand::game::Board;

/// The lowest rows of a named board; what is not drawn is empty.
pub fn board(name: &str) -> Board {
    let rows: &[&str] = match name {
        "tidy" => &["....##....", "..#####...", "#########.", "#########."],
        "well" => &["####..###.", "#########.", "#########.", "#########."],
        "slot" => &["##........", "#...####..", "##.#######", "##########"],
        "holes" => &["....#.....", "..##.#..##", "####.#####", "#.########", "###.######", "######.###"],
        "terrible" => &[
            ".#......#.",
            "##..#..##.",
            "#.#.##.#.#",
            ".##.#.####",
            "#.###.#.##",
            "##.#.####.",
            ".####.#.##",
            "#.#.#####.",
            "####.#.###",
            "#.######.#",
            "##.#.#####",
            ".####.##.#",
        ],
        _ => &[],
    };
    let mut all = vec![".........."; 20 - rows.len()];
    all.extend(rows);
    Board::parse(&all).unwrap()
}
