/** The response headers for the renderer, shared by the desktop's scheme and the web host. */

const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  // Highlighted code and the virtual list use inline styles, which can't run code.
  'style-src': "'self' 'unsafe-inline'",
  'font-src': "'self' data:",
  // A report is Markdown written by an agent: loading a remote image would report its reader to a server.
  'img-src': "'self' data: blob:",
  // Includes the WebSocket of the web host: 'self' covers ws:// of the same host and port.
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
