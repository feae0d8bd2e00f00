/**
 * The response headers under which the renderer runs, the same on the desktop's scheme and on the web
 * host, so that what one refuses the other refuses too.
 */

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  // Highlighted code and the virtual list carry inline styles; a style can't run anything.
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
  // A report is Markdown written by an agent: a remote image would reveal to its server that, and from where, it was
  // read.
  'img-src': "'self' data: blob:",
  // The WebSocket of the web host included: 'self' covers ws:// of the same host and port.
  'connect-src': "'self'",
  'manifest-src': "'self'",
  'frame-src': "'none'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
}

const contentSecurityPolicy = Object.entries(policy)
  .map(([directive, value]) => `${directive} ${value}`)
  .join('; ')

export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), payment=()',
}
