// The board under simavr: its port is a pseudo-terminal, its pins are reported, its latch wire is driven.
//
// Usage: simulator FIRMWARE.elf [low]. Says `pty PATH`, then one line for every change of what the relay module's inputs
// close, looked at after every instruction from power-on: `pins MASK LATCHES NS_SINCE_LATCH NS`. With `low` the module
// closes on a low level. Time is the simulated processor's; it never runs ahead of the real one.
// Takes lines on standard input:
//   latch COUNT PERIOD_NS READS   so many polls of so many latch pulses each
//   rate BAUD                     the host's end of the wire now runs at this rate
//   damage                        the next byte arrives with a frame error
//   hang                          the program stops going on where it is
// Every line is answered by `done`; `latch` when the last pulse is over. Ends with its standard input.
//
// simavr's own pseudo-terminal part feeds bytes from a second thread, without wire time; here each byte takes its time.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "avr_ioport.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

enum { HZ = 16000000, BITS_PER_BYTE = 10 };
// Addresses of the ATmega328P's registers (data sheet, register summary).
enum { DDRB = 0x24, PORTB = 0x25, DDRD = 0x2A, PORTD = 0x2B, UCSR0A = 0xC0, UBRR0L = 0xC4, UBRR0H = 0xC5 };

static avr_t *avr;
static int port;
static long host_baud = 9600;
static bool damage_next;
static bool closes_on_low;
static unsigned shown;
static struct {
    long left, reads, done;
    double period, due;
    avr_cycle_count_t last;
} latch;

static double ns(avr_cycle_count_t cycles)
{
    return (double)cycles * 1e9 / HZ;
}

static void report(void)
{
    // Only an output can pull an input of a module low; even a pull-up may lift one.
    unsigned low = (closes_on_low ? avr->data[DDRD] & ~avr->data[PORTD] : avr->data[PORTD]) & 0xF0;
    unsigned high = (closes_on_low ? avr->data[DDRB] & ~avr->data[PORTB] : avr->data[PORTB]) & 0x0F;
    unsigned mask = low >> 4 | high << 4;
    if (mask != shown) {
        shown = mask;
        printf("pins %u %ld %.0f %.0f\n", mask, latch.done, ns(avr->cycle - latch.last), ns(avr->cycle));
        fflush(stdout);
    }
}

static bool rates_agree(void)
{
    long divisor = 1 + avr->data[UBRR0L] + (avr->data[UBRR0H] << 8);
    double board_baud = (double)HZ / (avr->data[UCSR0A] & 2 ? 8 : 16) / (double)divisor;
    double ratio = board_baud / (double)host_baud;
    return ratio > 0.96 && ratio < 1.04;
}

static void to_host(avr_irq_t *irq, uint32_t value, void *param)
{
    uint8_t byte = rates_agree() ? (uint8_t)value : 0xFF;
    if (write(port, &byte, 1) != 1 && errno != EAGAIN) {
        perror("write");
    }
}

// Offers the board one byte every time that a byte takes on the wire.
static avr_cycle_count_t from_host(avr_t *self, avr_cycle_count_t when, void *param)
{
    uint8_t byte;
    if (read(port, &byte, 1) == 1) {
        uint32_t value = byte;
        if (damage_next || !rates_agree()) {
            value |= UART_INPUT_FE;
        }
        damage_next = false;
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), value);
    }
    return when + (avr_cycle_count_t)(HZ * BITS_PER_BYTE / host_baud);
}

// The wire is driven at both levels: otherwise simavr lets the pull-up lift it whenever the program writes the port.
static void drive_latch(unsigned level)
{
    avr_ioport_external_t wire = {.name = 'D', .mask = 1 << 2, .value = (uint8_t)(level << 2)};
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('D'), &wire);
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2), level);
}

// A strobe as a console's program makes it: 6 cycles at 1.79 MHz.
static avr_cycle_count_t fall(avr_t *self, avr_cycle_count_t when, void *param)
{
    drive_latch(0);
    return 0;
}

// One poll: the first pulse counts, the others follow 0.5 ms apart as a second read does.
static avr_cycle_count_t pulse(avr_t *self, avr_cycle_count_t when, void *param)
{
    static long read_done;
    if (read_done == 0) {
        latch.done++;
        latch.last = avr->cycle;
    }
    drive_latch(1);
    avr_cycle_timer_register(avr, HZ * 335L / 100000000L, fall, NULL);
    if (++read_done < latch.reads) {
        return when + HZ / 2000;
    }
    read_done = 0;
    if (--latch.left == 0) {
        printf("done\n");
        fflush(stdout);
        return 0;
    }
    latch.due += latch.period;
    return (avr_cycle_count_t)latch.due;
}

static void obey(const char *line)
{
    long count, period_ns, reads, baud;
    if (sscanf(line, "latch %ld %ld %ld", &count, &period_ns, &reads) == 3) {
        // Until now nothing was connected.
        drive_latch(0);
        latch.left = count;
        latch.reads = reads;
        latch.period = (double)period_ns * HZ / 1e9;
        latch.due = (double)avr->cycle + latch.period;
        avr_cycle_timer_register(avr, (avr_cycle_count_t)latch.period, pulse, NULL);
        return;
    }
    if (sscanf(line, "rate %ld", &baud) == 1) {
        host_baud = baud;
    } else if (strncmp(line, "damage", 6) == 0) {
        damage_next = true;
    } else if (strncmp(line, "hang", 4) == 0) {
        // A jump to itself.
        avr->flash[avr->pc] = 0xFF;
        avr->flash[avr->pc + 1] = 0xCF;
    } else {
        fprintf(stderr, "not understood: %s", line);
        exit(2);
    }
    printf("done\n");
    fflush(stdout);
}

// Reads what there is of standard input; false at its end.
static bool listen_to_test(void)
{
    static char line[128];
    static size_t length;
    char byte;
    ssize_t count;
    while ((count = read(0, &byte, 1)) == 1) {
        if (length < sizeof line - 1) {
            line[length++] = byte;
        }
        if (byte == '\n') {
            line[length] = 0;
            length = 0;
            obey(line);
        }
    }
    return count != 0;
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Sleeping costs simulated time only; the loop in main keeps pace with the real one.
static void sleep_nothing(avr_t *self, avr_cycle_count_t cycles)
{
}

static void quiet(avr_t *self, const int level, const char *format, va_list arguments)
{
    if (level <= LOG_ERROR) {
        vfprintf(stderr, format, arguments);
    }
}

static void start(const char *path)
{
    elf_firmware_t firmware = {0};
    avr_global_logger_set(quiet);
    if (elf_read_firmware(path, &firmware) != 0 || !(avr = avr_make_mcu_by_name("atmega328p"))) {
        fprintf(stderr, "cannot load %s\n", path);
        exit(2);
    }
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    avr->frequency = HZ;
    avr->sleep = sleep_nothing;

    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), to_host, NULL);
    avr_cycle_timer_register(avr, HZ / 1000, from_host, NULL);
}

int main(int count, char **arguments)
{
    int other;
    char path[64];
    closes_on_low = count == 3 && strcmp(arguments[2], "low") == 0;
    if (count != 2 && !closes_on_low) {
        fprintf(stderr, "usage: simulator FIRMWARE.elf [low]\n");
        return 2;
    }
    struct termios raw = {0};
    cfmakeraw(&raw);
    if (openpty(&port, &other, path, &raw, NULL) != 0) {
        perror("openpty");
        return 2;
    }
    // The other end stays open here, so that programs may come and go.
    fcntl(port, F_SETFL, O_NONBLOCK);
    fcntl(0, F_SETFL, O_NONBLOCK);
    start(arguments[1]);
    printf("pty %s\n", path);
    fflush(stdout);

    double began = now_s();
    avr_cycle_count_t next = 0;
    while (listen_to_test()) {
        next += HZ / 1000;
        while (avr->cycle < next) {
            int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "the processor stopped\n");
                return 1;
            }
            report();
        }
        double ahead = (double)avr->cycle / HZ - (now_s() - began);
        if (ahead > 0) {
            usleep((useconds_t)(ahead * 1e6));
        }
    }
    return 0;
}
