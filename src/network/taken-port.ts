/**
 * Turns EADDRINUSE into an error that names the variable to set.
 * @param more  a further hint about that variable
 */
export const sayTakenPort =
  (variable: string, { port, host, more = '' }: { port: number; host: string; more?: string }) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `${variable} ${port} on ${host} is in use. Stop the process that uses it, or set ${variable}${more}.`,
    )
  }
