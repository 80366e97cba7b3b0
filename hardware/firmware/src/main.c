// The processor's part: an ATmega328P at 16 MHz (Arduino Uno, Nano). Pins, timers, the serial port; no decisions.
//
// K0 to K3 are D4 to D7 (PD4 to PD7), K4 to K7 are D8 to D11 (PB0 to PB3), PA0 to PA3 are A0 to A3 (PC0 to PC3),
// the latch wire is D2 (INT0). Timer 1 counts half microseconds and never stops; timer 0 ticks milliseconds.

#include "board.h"
#include "line.h"
#include "options.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

enum {
    TICKS_PER_US = 2,
    TICK_NS = 500,
    RING_SIZE = 64, // a power of two
    // Without a good command at the new rate within this time the old rate comes back.
    RATE_TRIAL_MS = 2000,
    // Two bytes at 9600 baud: what the port may still be sending.
    RATE_DRAIN_MS = 3,
    // More than half of the longest frame, less than a round of timer 1.
    LONG_AGO_MS = 16,
};

struct ring {
    uint8_t bytes[RING_SIZE];
    volatile uint8_t head;
    volatile uint8_t tail;
};

static struct board board;
static struct ring incoming;
static struct ring outgoing;
static volatile uint16_t now_ms;

// Timer 1's plan, written with interrupts kept out.
static struct {
    bool latch;
    uint16_t frame_ticks;
    uint16_t frame_rest_ns;
    uint16_t delay_ticks;
    int16_t shift_ticks;
} plan;
static uint16_t rest_ns;
static uint16_t frame_began;

// A watchdog reset leaves the watchdog running at its shortest time; it must stop before main begins.
__attribute__((naked, used, section(".init3"))) static void stop_watchdog(void)
{
    MCUSR = 0;
    wdt_disable();
}

static uint8_t after(uint8_t place)
{
    return (uint8_t)(place + 1) % RING_SIZE;
}

static void pins_write(uint8_t mask)
{
    uint8_t level = ACTIVE_LOW ? (uint8_t)~mask : mask;
    PORTD = (uint8_t)((PORTD & 0x0F) | (level << 4));
    PORTB = (uint8_t)((PORTB & 0xF0) | (level >> 4));
}

// Puts `closed` on the pins, opening before closing: the two ports change a fraction of a microsecond apart.
static void show(void)
{
    static uint8_t shown;
    uint8_t closed = board.hand.closed;
    if (closed != shown) {
        pins_write(shown & closed);
        pins_write(closed);
        shown = closed;
    }
}

static void fire(void)
{
    TIMSK1 &= (uint8_t)~_BV(OCIE1B);
    hand_fire(&board.hand);
    show();
}

static void begin_frame(uint16_t at)
{
    hand_begin_frame(&board.hand);
    show();
    frame_began = at;
    OCR1B = (uint16_t)(at + plan.delay_ticks);
    TIFR1 = _BV(OCF1B);
    TIMSK1 |= _BV(OCIE1B);
    // A delay that is over already would come only when the timer has gone round.
    if ((uint16_t)(TCNT1 - at) + TICKS_PER_US * 4 >= plan.delay_ticks) {
        fire();
    }
}

ISR(INT0_vect)
{
    uint16_t now = TCNT1;
    board.hand.events++;
    if (!plan.latch) {
        return;
    }
    // A poll may be two reads, and each read a latch: those within half a frame are the same poll. Timer 1 goes round
    // in 32 ms, so the millisecond tick tells when much more has passed.
    bool long_ago = board.hand.frameless_ms >= LONG_AGO_MS;
    if (long_ago || (uint16_t)(now - frame_began) >= plan.frame_ticks / 2) {
        begin_frame(now);
    }
}

ISR(TIMER1_COMPA_vect)
{
    uint16_t at = OCR1A;
    uint16_t ticks = (uint16_t)(plan.frame_ticks + (uint16_t)plan.shift_ticks);
    plan.shift_ticks = 0;
    rest_ns = (uint16_t)(rest_ns + plan.frame_rest_ns);
    if (rest_ns >= TICK_NS) {
        rest_ns -= TICK_NS;
        ticks++;
    }
    OCR1A = (uint16_t)(at + ticks);
    begin_frame(at);
}

ISR(TIMER1_COMPB_vect)
{
    fire();
}

ISR(TIMER0_COMPA_vect)
{
    now_ms++;
    hand_tick(&board.hand);
    show();
}

ISR(USART_RX_vect)
{
    uint8_t damaged = UCSR0A & (_BV(FE0) | _BV(DOR0));
    uint8_t byte = UDR0;
    uint8_t next = after(incoming.head);
    if (next == incoming.tail) {
        // No room: what is newest is no longer what was sent.
        incoming.bytes[(incoming.head + RING_SIZE - 1) % RING_SIZE] = LINE_DAMAGED;
        return;
    }
    incoming.bytes[incoming.head] = damaged ? LINE_DAMAGED : byte;
    incoming.head = next;
}

ISR(USART_UDRE_vect)
{
    if (outgoing.tail == outgoing.head) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        return;
    }
    UDR0 = outgoing.bytes[outgoing.tail];
    outgoing.tail = after(outgoing.tail);
}

static bool receive(uint8_t *byte)
{
    if (incoming.tail == incoming.head) {
        return false;
    }
    *byte = incoming.bytes[incoming.tail];
    incoming.tail = after(incoming.tail);
    return true;
}

// An answer that does not fit is not given: a host that does not read must not stop the board.
static void send(const char *text, uint8_t length)
{
    uint8_t used = (uint8_t)(outgoing.head - outgoing.tail) % RING_SIZE;
    if (length >= RING_SIZE - used) {
        return;
    }
    for (uint8_t i = 0; i < length; i++) {
        outgoing.bytes[outgoing.head] = (uint8_t)text[i];
        outgoing.head = after(outgoing.head);
    }
    UCSR0B |= _BV(UDRIE0);
}

static uint16_t milliseconds(void)
{
    uint16_t ms;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        ms = now_ms;
    }
    return ms;
}

static void set_rate(uint32_t baud)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = (uint16_t)((F_CPU / 4 / baud - 1) / 2); // nearest with U2X
}

// The serial rate: what runs, what is on trial.
static struct {
    uint32_t runs;
    uint32_t before;
    uint16_t changed_ms;
    uint16_t sent_ms;
    bool on_trial;
} rate;

static void watch_rate(bool good_command)
{
    uint16_t ms = milliseconds();
    if (outgoing.tail != outgoing.head) {
        rate.sent_ms = ms;
    }
    // A command that was on its way when the rate changed came at the old one.
    bool of_this_rate = rate.runs == board.settings.baud && (uint16_t)(ms - rate.changed_ms) > RATE_DRAIN_MS;
    if (good_command && of_this_rate) {
        rate.on_trial = false;
    }
    if (rate.on_trial && (uint16_t)(ms - rate.changed_ms) >= RATE_TRIAL_MS) {
        board.settings.baud = rate.before;
        rate.on_trial = false;
        rate.runs = rate.before;
        set_rate(rate.runs);
    } else if (rate.runs != board.settings.baud && (uint16_t)(ms - rate.sent_ms) >= RATE_DRAIN_MS) {
        rate.before = rate.runs;
        rate.runs = board.settings.baud;
        rate.changed_ms = ms;
        rate.on_trial = true;
        set_rate(rate.runs);
    }
}

static void apply_settings(void)
{
    struct settings *settings = &board.settings;
    int16_t shift_max = (int16_t)(settings->period_ns / 2000);
    int16_t shift_us = settings->shift_us;
    shift_us = shift_us > shift_max ? shift_max : shift_us < -shift_max ? (int16_t)-shift_max : shift_us;
    uint16_t ticks = (uint16_t)(settings->period_ns / TICK_NS);
    uint16_t rest = (uint16_t)(settings->period_ns % TICK_NS);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        bool other_clock = plan.latch != settings->latch;
        plan.frame_ticks = ticks;
        plan.frame_rest_ns = rest;
        plan.delay_ticks = settings->delay_us * TICKS_PER_US;
        plan.shift_ticks = (int16_t)(shift_us * TICKS_PER_US);
        plan.latch = settings->latch;
        if (other_clock) {
            OCR1A = (uint16_t)(TCNT1 + ticks);
            TIFR1 = _BV(OCF1A);
            TIMSK1 = plan.latch ? 0 : _BV(OCIE1A);
        }
    }
    settings->shift_us = 0;
    settings->changed = false;
}

// Obeys a whole line; whether it was a good command.
static bool obey(const char *text, uint8_t length)
{
    struct command command;
    enum understood understood = command_read(text, length, ADDRESS, &command);
    if (understood != COMMAND_GOOD) {
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
        {
            if (understood == COMMAND_UNKNOWN) {
                hand_garbage(&board.hand);
                show();
            }
        }
        return false;
    }
    struct answer answer;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        board.inputs = PINC & 0x0F;
        board.frame_us = (uint16_t)(TCNT1 - frame_began) / TICKS_PER_US;
        board_obey(&board, &command, &answer);
        show();
    }
    char reply[ANSWER_LENGTH_MAX];
    send(reply, answer_write(&answer, reply));
    if (board.settings.changed) {
        apply_settings();
    }
    return true;
}

// Takes a byte; whether it ended a good command.
static bool take(uint8_t byte)
{
    static struct line line;
    uint8_t length;
    enum line_state state = line_take(&line, byte, &length);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        hand_hear(&board.hand);
        if (state == LINE_GARBLED) {
            hand_garbage(&board.hand);
            show();
        }
    }
    return state == LINE_WHOLE && obey(line.text, length);
}

static void start(void)
{
    // Levels before directions: no relay may twitch.
    pins_write(0);
    PORTD |= _BV(PD2);
    PORTC |= 0x0F;
    DDRB |= 0x0F;
    DDRD |= 0xF0;

    board_start(&board, BAUD_RATE, HOST_TIMEOUT_MS);
    rate.runs = BAUD_RATE;
    set_rate(BAUD_RATE);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);

    TCCR1B = _BV(CS11);
    apply_settings();
    OCR1A = (uint16_t)(TCNT1 + plan.frame_ticks);
    TIMSK1 = _BV(OCIE1A);

    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01) | _BV(CS00);
    OCR0A = 249;
    TIMSK0 = _BV(OCIE0A);

    EICRA = _BV(ISC01) | _BV(ISC00);
    EIMSK = _BV(INT0);

    SMCR = 0; // sleep is idle sleep: timers and port go on
    wdt_enable(WDTO_120MS);
    sei();
}

int main(void)
{
    start();
    for (;;) {
        wdt_reset();
        uint8_t byte;
        bool good = false;
        while (receive(&byte)) {
            good |= take(byte);
        }
        watch_rate(good);
        cli();
        if (incoming.tail == incoming.head) {
            // The instruction after `sei` is carried out before any interrupt: no byte can come in between.
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
        }
        sei();
    }
}
