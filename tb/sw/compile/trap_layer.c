/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in the place of stream_layer that stores outside memory when it is launched. */
#include "ow/firmware/stream_layer.h"
#include "openwafer/tile/tile.h"

__attribute__((section(".noinit"), used)) struct ow_stream_params ow_params;
__attribute__((section(".noinit"), used)) uint32_t ow_relay;
__attribute__((section(".noinit"), used)) struct ow_layer_stats ow_stats[OW_SL_MAX_LAYERS];

static void launch(uint32_t data) {
  *(volatile uint32_t*)0x10000 = data; /* line 11 */
}

void ow_main(void);
void ow_main(void) { ow_task_register(OW_SL_TASK_LAUNCH, launch); }
