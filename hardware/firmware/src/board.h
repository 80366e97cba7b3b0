// A command's effect, and its answer.
#ifndef BOARD_H
#define BOARD_H

#include "command.h"
#include "hand.h"

// What the timers and the port are set to. The processor's part applies it when `changed`.
struct settings {
    bool latch;          // frames from the latch wire, otherwise from the crystal
    uint32_t period_ns;  // of a frame
    uint16_t delay_us;   // from a frame's beginning to its entry
    int16_t shift_us;    // added once to the running frame's length
    uint32_t baud;
    bool changed;
};

struct board {
    struct hand hand;
    struct settings settings;
    // Read just before a command is obeyed.
    uint8_t inputs;
    uint16_t frame_us;
};

struct field {
    uint32_t value;
    uint8_t digits;
    uint8_t base;
};

enum { ANSWER_FIELDS_MAX = 6 };

// Numbers to be said, separated by commas; none is no answer.
struct answer {
    struct field fields[ANSWER_FIELDS_MAX];
    uint8_t count;
};

// The longest answer (of `QS`) and its carriage return.
enum { ANSWER_LENGTH_MAX = 48 };

void board_start(struct board *board, uint32_t baud, uint16_t host_timeout_ms);
// Carries out a command. Short: interrupts may be kept out for it.
void board_obey(struct board *board, const struct command *command, struct answer *answer);
// Writes an answer with its carriage return; returns its length.
uint8_t answer_write(const struct answer *answer, char *text);

#endif
