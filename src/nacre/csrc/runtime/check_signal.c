/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the audio front end. */
#include "../kernels/nacre_signal.h"
#include "nacre_checks.h"

static int32_t is_power_of_two(int32_t x) { return x > 0 && (x & (x - 1)) == 0; }

int32_t nacre_check_signal_window(nacre_check_t *c)
{
    const nacre_signal_window_params_t *const p = (const nacre_signal_window_params_t *)c->p[0];
    c->need[0] = nacre_times(p->frames, p->length);
    c->need[1] = p->length;
    c->need[2] = c->need[0];
    return p->frames >= 0 && nacre_between(p->shift, 0, 31);
}

int32_t nacre_check_signal_auto_scale(nacre_check_t *c)
{
    const nacre_signal_auto_scale_params_t *const p =
        (const nacre_signal_auto_scale_params_t *)c->p[0];
    c->need[0] = p->length;
    c->need[1] = p->length;
    c->need[2] = 1;
    return p->length >= 0;
}

int32_t nacre_check_signal_rfft(nacre_check_t *c)
{
    const nacre_signal_rfft_params_t *const p = (const nacre_signal_rfft_params_t *)c->p[0];
    c->need[0] = nacre_times(p->frames, p->frame);
    c->need[1] = nacre_plus(p->length, p->length / 2);
    c->need[2] = nacre_times(p->frames, nacre_plus(p->length, 2));
    return p->frames >= 0 && p->frame >= 0 && p->length >= 4 && is_power_of_two(p->length);
}

int32_t nacre_check_signal_energy(nacre_check_t *c)
{
    const nacre_signal_energy_params_t *const p = (const nacre_signal_energy_params_t *)c->p[0];
    c->need[0] = nacre_times(2, p->bins);
    c->need[1] = p->bins;
    return p->bins >= 0;
}

int32_t nacre_check_signal_filter_bank(nacre_check_t *c)
{
    const nacre_signal_filter_bank_params_t *const p =
        (const nacre_signal_filter_bank_params_t *)c->p[0];
    const int64_t entries = nacre_plus(p->channels, 1);
    c->need[3] = entries;
    c->need[4] = entries;
    c->need[5] = entries;
    c->need[6] = p->channels;
    return p->channels >= 0;
}

/* The bins and weights that the tables name. */
int32_t nacre_check_signal_filter_bank_tables(nacre_check_t *c)
{
    const nacre_signal_filter_bank_params_t *const p =
        (const nacre_signal_filter_bank_params_t *)c->p[0];
    const int16_t *const bins = (const int16_t *)c->content[3];
    const int16_t *const first = (const int16_t *)c->content[4];
    const int16_t *const widths = (const int16_t *)c->content[5];
    if (bins == NULL || first == NULL || widths == NULL) {
        return 0;
    }
    for (int32_t i = 0; i <= p->channels; ++i) {
        if (widths[i] > 0 && (bins[i] < 0 || first[i] < 0)) {
            return 0;
        }
        const int64_t input = widths[i] > 0 ? bins[i] + widths[i] : 0;
        const int64_t weights = widths[i] > 0 ? first[i] + widths[i] : 0;
        c->need[0] = input > c->need[0] ? input : c->need[0];
        c->need[1] = weights > c->need[1] ? weights : c->need[1];
    }
    c->need[2] = c->need[1];
    return 1;
}

int32_t nacre_check_signal_square_root(nacre_check_t *c)
{
    const nacre_signal_square_root_params_t *const p =
        (const nacre_signal_square_root_params_t *)c->p[0];
    c->need[0] = p->channels;
    c->need[1] = 1;
    c->need[2] = p->channels;
    return p->channels >= 0;
}

int32_t nacre_check_signal_subtraction(nacre_check_t *c)
{
    const nacre_signal_subtraction_params_t *const p =
        (const nacre_signal_subtraction_params_t *)c->p[0];
    for (int32_t k = 0; k < 4; ++k) {
        c->need[k] = p->channels;
    }
    return p->channels >= 0 && nacre_between(p->smoothing_bits, 0, 31) &&
           nacre_between(p->bits, 0, 63);
}

int32_t nacre_check_signal_pcan(nacre_check_t *c)
{
    const nacre_signal_pcan_params_t *const p = (const nacre_signal_pcan_params_t *)c->p[0];
    c->need[0] = p->channels;
    c->need[1] = p->channels;
    c->need[2] = 4 * 32 - 6 + 3;
    c->need[3] = p->channels;
    return p->channels >= 0 && nacre_between(p->snr_shift, 0, 63);
}

int32_t nacre_check_signal_log(nacre_check_t *c)
{
    const nacre_signal_log_params_t *const p = (const nacre_signal_log_params_t *)c->p[0];
    c->need[0] = p->channels;
    c->need[1] = 130;
    c->need[2] = p->channels;
    return p->channels >= 0 && nacre_between(p->correction_bits, 0, 31);
}
