/** Something about this machine or its configuration keeps the stack from starting; the message is for a person. */
export class StackError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StackError';
  }
}
