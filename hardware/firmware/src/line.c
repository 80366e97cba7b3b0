#include "line.h"

enum line_state line_take(struct line *line, uint8_t byte, uint8_t *length)
{
    if (byte == '\r') {
        enum line_state state = line->spoilt ? LINE_GARBLED : line->length ? LINE_WHOLE : LINE_OPEN;
        *length = line->length;
        line->length = 0;
        line->spoilt = false;
        return state;
    }
    // Terminals that end lines with CR LF are common; a line feed elsewhere is garbage.
    if (byte == '\n' && line->length == 0) {
        return LINE_OPEN;
    }
    if (byte < ' ' || byte > '~' || line->length == LINE_LENGTH_MAX) {
        line->spoilt = true;
    } else {
        line->text[line->length++] = (char)byte;
    }
    return LINE_OPEN;
}
