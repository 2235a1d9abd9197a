/**
 * Says of a port that is taken which variable to set.
 * @param more  what that variable may also be
 */
export const sayTakenPort =
  (variable: string, { port, host, more = '' }: { port: number; host: string; more?: string }) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `${variable} ${port} on ${host} is taken: stop what listens there, or set ${variable}${more}.`,
    )
  }
