/**
 * What every answer of a gateway says, whatever a preview's files or server say. The page may do what it likes within its
 * own origin: it loads nothing from elsewhere, calls nothing elsewhere, is framed by nobody, and is kept by no cache.
 */
export const safeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Without it, pages of two previews below one domain could agree to be one origin (`document.domain`).
  'origin-agent-cluster': '?1',
  'permissions-policy': [
    'accelerometer',
    'camera',
    'display-capture',
    'geolocation',
    'gyroscope',
    'hid',
    'microphone',
    'midi',
    'payment',
    'publickey-credentials-get',
    'serial',
    'usb',
  ]
    .map((feature) => `${feature}=()`)
    .join(', '),
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
}
