import { z } from 'zod'

/** A time in UTC, such as `2026-01-31T12:00:00.000Z`. */
export const isoDateTime = z.iso.datetime()
