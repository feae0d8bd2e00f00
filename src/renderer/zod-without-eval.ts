/**
 * Import this module before any schema is created: zod would compile its checks with `new Function`,
 * which the page's content-security policy blocks and reports.
 */
import { z } from 'zod'

z.config({ jitless: true })
