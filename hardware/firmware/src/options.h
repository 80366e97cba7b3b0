// What can be chosen when the firmware is built: `make OPTIONS="-DACTIVE_LOW=1 …"`. The Makefile prints what was.
#ifndef OPTIONS_H
#define OPTIONS_H

// The board's place on its line, 0 to 9.
#ifndef ADDRESS
#define ADDRESS 0
#endif
// Serial rate at the start, bits a second.
#ifndef BAUD_RATE
#define BAUD_RATE 9600
#endif
// No byte from the host for so long: all open, ms; 0 is off. Longer than any hold that stackhand allows (2.5 s), for hosts
// that say nothing in between. stackhand sets a shorter one.
#ifndef HOST_TIMEOUT_MS
#define HOST_TIMEOUT_MS 3000
#endif
// 1 for relay modules that close on a low level.
#ifndef ACTIVE_LOW
#define ACTIVE_LOW 0
#endif

#if ADDRESS < 0 || ADDRESS > 9
#error "ADDRESS is 0 to 9"
#endif
#if BAUD_RATE != 9600 && BAUD_RATE != 19200 && BAUD_RATE != 38400 && BAUD_RATE != 57600 && BAUD_RATE != 115200
#error "BAUD_RATE is 9600, 19200, 38400, 57600 or 115200"
#endif
#if HOST_TIMEOUT_MS < 0 || HOST_TIMEOUT_MS > 60000
#error "HOST_TIMEOUT_MS is 0 to 60000"
#endif
#if ACTIVE_LOW != 0 && ACTIVE_LOW != 1
#error "ACTIVE_LOW is 0 or 1"
#endif

#endif
