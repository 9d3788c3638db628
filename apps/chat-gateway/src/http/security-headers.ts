import type { NextFunction, Request, Response } from 'express';

/** Answers are data for programs: no page may frame them, run them, sniff them or keep them. */
const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy':
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

export const securityHeaders = (_request: Request, response: Response, next: NextFunction): void => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  next();
};
