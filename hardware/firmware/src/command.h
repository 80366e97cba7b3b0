// A line's meaning. See README.md for the table of commands.
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stdint.h>

enum verb {
    // The ADR2200's own.
    VERB_CLOSE,        // SKn
    VERB_OPEN,         // RKn
    VERB_PUT,          // MKddd, SPKxxxxxxxx
    VERB_READ_BITS,    // RPK
    VERB_READ_ONE,     // RPKn
    VERB_READ_NUMBER,  // PK
    VERB_INPUT_BITS,   // RPA
    VERB_INPUT_ONE,    // RPAn
    VERB_INPUT_NUMBER, // PA
    VERB_EVENTS_CLEAR, // CE
    VERB_EVENTS_READ,  // RE
    VERB_EVENTS_TAKE,  // REC
    VERB_IDENTIFY,     // IDN?
    // The extension.
    VERB_QUEUE_ADD,       // QAf,d
    VERB_QUEUE_CLEAR,     // QC
    VERB_QUEUE_ZERO,      // QZ
    VERB_QUEUE_FRAME,     // QF
    VERB_QUEUE_STATE,     // QS
    VERB_QUEUE_VERSION,   // QV
    VERB_CLOCK_LATCH,     // FL
    VERB_CLOCK_CRYSTAL,   // FX
    VERB_PERIOD,          // FPn
    VERB_PERIOD_READ,     // FP
    VERB_DELAY,           // FDn
    VERB_DELAY_READ,      // FD
    VERB_SHIFT,           // FSn, FS-n
    VERB_NEVER,           // NPn,d
    VERB_NEVER_READ,      // NP
    VERB_HOST_TIMEOUT,      // HTn
    VERB_HOST_TIMEOUT_READ, // HT
    VERB_HOST_CHECK,        // HC
    VERB_BAUD,            // BRn
};

struct command {
    enum verb verb;
    uint8_t small;  // relay, input, pair or mask
    int32_t number; // period, delay, shift, time, rate
    uint32_t frame;
};

enum understood {
    COMMAND_GOOD,
    COMMAND_OTHERS,  // for another address on the same line
    COMMAND_UNKNOWN, // unknown, or with an argument out of range
};

// Reads the command in a whole line, for a board that listens to `address` (0 to 9; 0 also without a digit).
enum understood command_read(const char *text, uint8_t length, uint8_t address, struct command *command);

#endif
