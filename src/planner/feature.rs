//! What can be counted of a pile and of the pieces that made it: the features of the literature, each under one name.
//!
//! Sources: the seventeen metrics of Birken's program of 2019 and the nineteen of the paper that plays without rotation
//! (numbers M1–M19); Dellacherie's six, those that Böhm, Thiery and Scherrer added, and Fahey's. Heights are counted from
//! the floor; a piece that lies on the floor locks at height 0.

/// A count that a weight can be given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Feature {
    /// M1: rows cleared by all the pieces.
    Lines,
    /// M18: rows cleared by the last piece.
    LastLines,
    /// Of [`Self::Lines`], those cleared by pieces that cleared four.
    LinesInFours,
    /// M2: heights of the lowest cell of each piece as it locked, summed.
    LockHeight,
    /// Heights of the pivots, summed: what the lock height had been taken for.
    PivotHeight,
    /// Dellacherie: for each piece, the middle of its rows as it locked, in half rows, summed. Of the last one alone, any earlier
    /// one would be put on a tower beside the wall for nothing.
    LandingHeight,
    /// Dellacherie: for each piece, rows cleared times its own cells in them, summed.
    ErodedCells,
    /// M3: empty cells, open to the sky, between two full neighbours or walls.
    WellCells,
    /// Columns whose highest cell lies between two full neighbours or walls. Birken's program of 2014 takes it for a well cell, too.
    EnclosedTops,
    /// M4: wells of three cells or more.
    DeepWells,
    /// M19: cells of the deepest well.
    MaxWellDepth,
    /// Fahey: for every empty cell between two full neighbours or walls, the empty cells from it downward. Covered cells count.
    CumulativeWells,
    /// M5: empty cells directly under a full one.
    ColumnHoles,
    /// M6: the same, each weighted by its row, 1 at the top.
    WeightedHoles,
    /// M7: for each of them, the rows from it up to its column's top, summed.
    HoleDepths,
    /// M8: the least of these depths; 20 without a hole.
    MinHoleDepth,
    /// M9: the greatest; 0 without a hole.
    MaxHoleDepth,
    /// Dellacherie: empty cells with a full one anywhere above.
    Holes,
    /// Thiery and Scherrer's hole depth: full cells in the unbroken stretch right above each of M5's holes.
    CoveringCells,
    /// Thiery and Scherrer: rows with at least one hole of [`Self::Holes`].
    RowsWithHoles,
    /// M10: changes along columns; floor and sky do not count.
    ColumnTransitions,
    /// Of these, those below the columns' highest cells: what Birken's program of 2014 counts.
    BuriedTransitions,
    /// Dellacherie: all of them with a full floor (the sky is empty).
    FloorTransitions,
    /// M11: changes along rows that are not empty; walls count as full.
    RowTransitions,
    /// Dellacherie: the same with two for every empty row above the pile.
    WallTransitions,
    /// M12: heights of all columns, summed.
    ColumnHeights,
    /// M13: the highest column.
    PileHeight,
    /// M14: the highest column less the lowest.
    HeightSpread,
    /// M17: differences of neighbouring columns' heights, summed.
    HeightVariance,
    /// Thiery and Scherrer: how many of the values −2 to 2 are among these differences.
    Diversity,
    /// M15: full cells.
    SolidCells,
    /// M16: full cells, each weighted by its height, 1 at the floor.
    WeightedSolidCells,
}

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 32] = [
        Self::Lines,
        Self::LastLines,
        Self::LinesInFours,
        Self::LockHeight,
        Self::PivotHeight,
        Self::LandingHeight,
        Self::ErodedCells,
        Self::WellCells,
        Self::EnclosedTops,
        Self::DeepWells,
        Self::MaxWellDepth,
        Self::CumulativeWells,
        Self::ColumnHoles,
        Self::WeightedHoles,
        Self::HoleDepths,
        Self::MinHoleDepth,
        Self::MaxHoleDepth,
        Self::Holes,
        Self::CoveringCells,
        Self::RowsWithHoles,
        Self::ColumnTransitions,
        Self::BuriedTransitions,
        Self::FloorTransitions,
        Self::RowTransitions,
        Self::WallTransitions,
        Self::ColumnHeights,
        Self::PileHeight,
        Self::HeightSpread,
        Self::HeightVariance,
        Self::Diversity,
        Self::SolidCells,
        Self::WeightedSolidCells,
    ];

    /// Its name in weight files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::LastLines => "last_lines",
            Self::LinesInFours => "lines_in_fours",
            Self::LockHeight => "lock_height",
            Self::PivotHeight => "pivot_height",
            Self::LandingHeight => "landing_height",
            Self::ErodedCells => "eroded_cells",
            Self::WellCells => "well_cells",
            Self::EnclosedTops => "enclosed_tops",
            Self::DeepWells => "deep_wells",
            Self::MaxWellDepth => "max_well_depth",
            Self::CumulativeWells => "cumulative_wells",
            Self::ColumnHoles => "column_holes",
            Self::WeightedHoles => "weighted_holes",
            Self::HoleDepths => "hole_depths",
            Self::MinHoleDepth => "min_hole_depth",
            Self::MaxHoleDepth => "max_hole_depth",
            Self::Holes => "holes",
            Self::CoveringCells => "covering_cells",
            Self::RowsWithHoles => "rows_with_holes",
            Self::ColumnTransitions => "column_transitions",
            Self::BuriedTransitions => "buried_transitions",
            Self::FloorTransitions => "floor_transitions",
            Self::RowTransitions => "row_transitions",
            Self::WallTransitions => "wall_transitions",
            Self::ColumnHeights => "column_heights",
            Self::PileHeight => "pile_height",
            Self::HeightSpread => "height_spread",
            Self::HeightVariance => "height_variance",
            Self::Diversity => "diversity",
            Self::SolidCells => "solid_cells",
            Self::WeightedSolidCells => "weighted_solid_cells",
        }
    }

    /// The feature of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
    }

    /// The number in the paper that plays without rotation, 1–19.
    pub fn metric(number: usize) -> Option<Self> {
        const METRICS: [Feature; 19] = [
            Feature::Lines,
            Feature::LockHeight,
            Feature::WellCells,
            Feature::DeepWells,
            Feature::ColumnHoles,
            Feature::WeightedHoles,
            Feature::HoleDepths,
            Feature::MinHoleDepth,
            Feature::MaxHoleDepth,
            Feature::ColumnTransitions,
            Feature::RowTransitions,
            Feature::ColumnHeights,
            Feature::PileHeight,
            Feature::HeightSpread,
            Feature::SolidCells,
            Feature::WeightedSolidCells,
            Feature::HeightVariance,
            Feature::LastLines,
            Feature::MaxWellDepth,
        ];
        METRICS.get(number.checked_sub(1)?).copied()
    }
}
