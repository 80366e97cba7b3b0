use super::*;

/// Thirty pictures a second.
const STEP_MS: f64 = 1000.0 / 30.0;

/// How uneven the blocks beside the field are.
const DRAWN: Unevenness = Unevenness { patterns: 40.0, lines: 0.0 };

fn beside(contrast: f32, background: Option<f32>) -> Beside {
    Beside { contrast, background }
}

#[test]
fn dim_blocks_of_a_pile_that_was_there_from_the_start_do_not_become_background() {
    // Ten empty rows above a pile: bright blocks at the left, dark red ones at the right, as a camera shows level 17.
    let kind = |cell: usize| match (cell / 10 < 10, cell % 10 < 5) {
        (true, _) => (20.0, 1.0, 0.0),
        (_, true) => (215.0, 45.0, 1.0),
        _ => (75.0, 35.0, 0.2),
    };
    let value = |cell| CellValue { mean: kind(cell).0, spread: kind(cell).1, ..CellValue::default() };
    let cells: Vec<CellValue> = (0..200).map(value).collect();
    let p_full: Vec<f32> = (0..200).map(|cell| kind(cell).2).collect();
    let was_full: Vec<bool> = p_full.iter().map(|p| *p > 0.9).collect();
    let mut levels = Levels::new(10, 20, false);
    for _ in 0..60 {
        let reading = levels.read(&cells, beside(195.0, Some(20.0)), &was_full, || DRAWN, |_| 0.0);
        levels.learn(reading, beside(195.0, Some(20.0)), &p_full, STEP_MS);
    }
    for (cell, contrast) in levels.contrast().iter().enumerate() {
        let truly = kind(cell).0 - 20.0;
        assert!((contrast - truly).abs() < 6.0, "{contrast} instead of {truly} at {}, {}", cell % 10, cell / 10);
    }
}

#[test]
fn dark_red_blocks_in_the_light_of_a_lamp_do_not_become_background_and_the_light_itself_does() {
    // A pile of blocks; three dark red ones, smooth as blur makes them, in a corner that a grey light makes brighter.
    let light = |cell: usize| 22.0 + 3.0 * (9 - cell % 10) as f32;
    let is_red = |cell: usize| matches!(cell, 180 | 190 | 191);
    let is_pile = |cell: usize| cell >= 150 && cell % 10 > 1 || (130..170).contains(&cell) && cell % 10 < 2;
    let value = |cell: usize| match (is_red(cell), is_pile(cell)) {
        (true, _) => CellValue { mean: 77.0, spread: 10.0, chroma: 60.0, ..CellValue::default() },
        (_, true) => CellValue { mean: 130.0, spread: 25.0, chroma: 40.0, ..CellValue::default() },
        _ => CellValue { mean: light(cell), spread: 8.0, chroma: 0.2 * light(cell), ..CellValue::default() },
    };
    let cells: Vec<CellValue> = (0..200).map(value).collect();
    let mut levels = Levels::new(10, 20, false);
    levels.read(&cells, beside(100.0, Some(20.0)), &[false; 200], || DRAWN, |_| 0.0);
    for (cell, contrast) in levels.contrast().iter().enumerate() {
        let is_block = is_red(cell) || is_pile(cell);
        assert!(if is_block { *contrast > 20.0 } else { contrast.abs() < 10.0 }, "{contrast} at {cell}");
    }
}

/// A field of which a window's light covers three columns, with a pile; blocks are drawn with edges.
fn window_light(cell: usize) -> CellValue {
    let (light, is_block) = (if (3..6).contains(&(cell % 10)) { 80.0 } else { 0.0 }, cell >= 170 && cell % 10 != 4);
    if is_block {
        CellValue { mean: 150.0 + 0.4 * light, spread: 40.0, ..CellValue::default() }
    } else {
        CellValue { mean: 20.0 + light, spread: 5.0, ..CellValue::default() }
    }
}

#[test]
fn a_windows_light_that_was_there_from_the_start_is_no_pile_where_blocks_are_drawn() {
    let cells: Vec<CellValue> = (0..200).map(window_light).collect();
    let is_right = |levels: &Levels| {
        let is_right = |cell: usize, c: f32| if cell < 170 { c.abs() < 10.0 } else { c > 60.0 };
        levels.contrast().iter().enumerate().all(|(cell, c)| cell > 160 && cell % 10 == 4 || is_right(cell, *c))
    };
    let mut levels = Levels::new(10, 20, false);
    levels.read(&cells, beside(130.0, Some(20.0)), &[false; 200], || DRAWN, |_| 0.0);
    assert!(is_right(&levels), "{:?}", levels.contrast());
    // Blocks of one colour may be as smooth as a light.
    let mut levels = Levels::new(10, 20, false);
    levels.read(&cells, beside(130.0, Some(20.0)), &[false; 200], Unevenness::default, |_| 0.0);
    assert!(levels.contrast()[43] > 60.0, "{}", levels.contrast()[43]);
    // Where that was known too late, the light is known after half a second.
    let p_full =
        |levels: &Levels| -> Vec<f32> { levels.contrast().iter().map(|c| if *c > 45.0 { 1.0 } else { 0.0 }).collect() };
    let told = beside(130.0, Some(20.0));
    for picture in 0..23 {
        let reading = levels.read(
            &cells,
            told,
            &[false; 200],
            || if picture < 3 { Unevenness::default() } else { DRAWN },
            |_| 0.0,
        );
        levels.follow_light(STEP_MS);
        assert_eq!(is_right(&levels), picture >= 19, "picture {picture}: {:?}", levels.contrast());
        let p_full = p_full(&levels);
        levels.learn(reading, told, &p_full, STEP_MS);
    }
}

#[test]
fn levels_are_learned_as_fast_whatever_the_rate_of_pictures() {
    // After a second a lamp makes all cells brighter, one block apart; how much of it is learned in half a second.
    let learned = |per_second: u32| {
        let mut levels = Levels::new(10, 20, false);
        let p_full: Vec<f32> = (0..200).map(|cell| f32::from(u8::from(cell >= 190))).collect();
        let was_full: Vec<bool> = p_full.iter().map(|p| *p > 0.9).collect();
        let mut before = 0.0;
        for picture in 0..per_second * 3 / 2 {
            let lamp = if picture < per_second { 0.0 } else { 8.0 };
            let mean = |cell| if cell >= 190 { 180.0 } else { 40.0 + lamp * (cell % 2) as f32 };
            let value = |cell| CellValue { mean: mean(cell), spread: 8.0, ..CellValue::default() };
            let cells: Vec<CellValue> = (0..200).map(value).collect();
            let reading = levels.read(&cells, beside(140.0, Some(40.0)), &was_full, || DRAWN, |_| 0.0);
            levels.learn(reading, beside(140.0, Some(40.0)), &p_full, 1000.0 / f64::from(per_second));
            if picture + 1 == per_second {
                before = levels.empty[55] - levels.empty[54];
            }
        }
        levels.empty[55] - levels.empty[54] - before
    };
    let [few, usual, many] = [12, 30, 120].map(learned);
    assert!(usual > 2.0 && few / usual > 0.7 && many / usual < 1.3, "{few} {usual} {many}");
}

#[test]
fn a_ghost_in_the_first_pictures_is_not_background_for_long() {
    let mut levels = Levels::new(10, 20, true);
    let is_ghost = |cell: usize| (163..166).contains(&cell) || cell == 174;
    for picture in 0..240 {
        // It is bright when the game is first seen, and goes on pulsing in the same place.
        let phase = (picture + 14) % 40;
        let ghost = if phase < 20 { phase } else { 40 - phase } as f32 * 7.0;
        let mean = |cell| if cell >= 190 { 180.0 } else { 40.0 + if is_ghost(cell) { ghost } else { 0.0 } };
        let value = |cell| CellValue { mean: mean(cell), spread: 8.0, ..CellValue::default() };
        let cells: Vec<CellValue> = (0..200).map(value).collect();
        let reading = levels.read(&cells, beside(140.0, Some(40.0)), &[false; 200], || DRAWN, |_| 0.0);
        let p = |c: f32| if c < -0.35 * reading.full { 0.5 } else { (c / 120.0 - 0.2).clamp(0.0, 0.6) };
        let p_full: Vec<f32> = levels.contrast().iter().map(|c| p(*c)).collect();
        levels.learn(reading, beside(140.0, Some(40.0)), &p_full, STEP_MS);
    }
    let empty = |cell: usize| levels.empty[cell];
    assert!((empty(163) - empty(100)).abs() < 15.0, "{} instead of {}", empty(163), empty(100));
}

#[test]
fn what_darkens_a_cell_now_and_then_does_not_sink_its_level_in_a_long_game() {
    let mut levels = Levels::new(10, 20, true);
    for picture in 0..1500 {
        // A hand's shadow, or a picture that was torn: two pictures of a hundred.
        let is_dark = |cell: usize| cell == 125 && picture % 100 > 97;
        let mean = |cell| {
            if cell >= 190 {
                180.0
            } else if is_dark(cell) {
                5.0
            } else {
                60.0
            }
        };
        let value = |cell| CellValue { mean: mean(cell), spread: 8.0, ..CellValue::default() };
        let cells: Vec<CellValue> = (0..200).map(value).collect();
        let reading = levels.read(&cells, beside(120.0, Some(60.0)), &[false; 200], || DRAWN, |_| 0.0);
        let p_full: Vec<f32> = (0..200)
            .map(|i| {
                if i >= 190 {
                    1.0
                } else if is_dark(i) {
                    0.5
                } else {
                    0.0
                }
            })
            .collect();
        levels.learn(reading, beside(120.0, Some(60.0)), &p_full, STEP_MS);
        if picture == 100 {
            // Half an hour at 60 pictures a second.
            levels.times_seen.fill(u16::MAX);
        }
        assert!((levels.empty[125] - levels.empty[100]).abs() < 3.0, "{} in {picture}", levels.empty[125]);
    }
}

#[test]
fn a_ghost_that_pulses_does_not_become_background() {
    let mut levels = Levels::new(10, 20, true);
    let is_ghost = |cell: usize| (163..166).contains(&cell) || cell == 174;
    for picture in 0..600 {
        // From nothing to half a block and back, in two thirds of a second; a lamp makes all brighter meanwhile.
        let phase = picture % 40;
        let ghost = if phase < 20 { phase } else { 40 - phase } as f32 * 3.0;
        let ground = 40.0 + picture as f32 / 60.0;
        let mean = |cell| if cell >= 190 { 180.0 } else { ground + if is_ghost(cell) { ghost } else { 0.0 } };
        let value = |cell| CellValue { mean: mean(cell), spread: 8.0, ..CellValue::default() };
        let cells: Vec<CellValue> = (0..200).map(value).collect();
        let p_full: Vec<f32> = (0..200).map(|cell| if cell >= 190 { 1.0 } else { 0.0 }).collect();
        let was_full: Vec<bool> = p_full.iter().map(|p| *p > 0.9).collect();
        let reading = levels.read(&cells, beside(140.0, Some(40.0)), &was_full, || DRAWN, |_| 0.0);
        levels.learn(reading, beside(140.0, Some(40.0)), &p_full, STEP_MS);
        if picture > 200 && phase == 20 {
            let contrast = levels.contrast()[163];
            assert!((45.0..66.0).contains(&contrast), "{contrast} in picture {picture}");
            assert!(levels.contrast()[100].abs() < 3.0, "{}", levels.contrast()[100]);
        }
    }
}
