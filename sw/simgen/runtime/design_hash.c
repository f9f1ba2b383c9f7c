/* SPDX-License-Identifier: Apache-2.0
 *
 * What the code was made of, so that a program does not use that of another design.
 */
#include "design_hash.h"

const char ow_wide_design_hash[] = OW_DESIGN_HASH;
