/** Something about this machine or its configuration keeps the stack from starting; the message is for a person. */
export class StackError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** What somebody typed or set is unusable as it is: a variable, a folder. The same start would be refused again. */
export class UnusableInput extends StackError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableInput';
  }
}
