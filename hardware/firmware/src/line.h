// Bytes to lines. A line ends with a carriage return; what is too long or damaged is thrown away up to the next one,
// so no input whatever can leave the board deaf.
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>
#include <stdint.h>

// The longest command with an address, `0QA4294967295,255`, with room to spare.
enum { LINE_LENGTH_MAX = 20 };

// Stands for a byte that arrived damaged (frame error, overrun). No command holds it.
enum { LINE_DAMAGED = 0xFF };

struct line {
    char text[LINE_LENGTH_MAX];
    uint8_t length;
    bool spoilt;
};

enum line_state {
    LINE_OPEN,    // goes on, or was empty
    LINE_WHOLE,   // `text` holds `length` characters until the next byte is taken
    LINE_GARBLED, // has ended and was thrown away
};

// Takes one byte. `*length` is set with LINE_WHOLE.
enum line_state line_take(struct line *line, uint8_t byte, uint8_t *length);

#endif
