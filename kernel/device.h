/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NM_DEVICE_H
#define NM_DEVICE_H

/* /dev/numatch, as uapi/numatch.h says. */
int nm_device_init(void);
void nm_device_exit(void);

#endif
