/**
 * Imported before anything that makes a schema: zod would compile its checks with `new Function`, which
 * the page's content-security policy refuses and reports.
 */
import { z } from 'zod'

z.config({ jitless: true })
