/** Verbs with which advice opens. A sentence that opens otherwise states something. */
const IMPERATIVE =
  /^(?:then |first,? |next,? |if [^,]+, |once [^,]+, |to [^,]+, |should [^,]+, |when [^,]+, )?(?:add|adjust|alert|apply|ask|attach|back|block|check|clear|compare|configure|confirm|consider|correct|create|cut|delete|deploy|describe|disable|distribute|do|drain|enable|end|ensure|escalate|extend|fail|find|fix|follow|free|give|grant|increase|inspect|investigate|keep|kill|let|limit|list|lock|log|look|lower|make|mirror|monitor|move|name|open|page|pause|pin|plan|point|provide|pull|put|raise|read|rebuild|reduce|relax|remove|renew|repair|replace|reproduce|resolve|restart|restore|retry|review|revert|roll|rotate|run|scale|search|send|set|ship|speed|spread|start|stop|switch|take|talk|tell|terminate|test|try|tune|turn|uncordon|undo|update|upgrade|use|verify|wait|watch)\b/i;

const SENTENCE = /[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]*\s*/g;

/** What an item of advice states besides advising; advice itself is not for a judge of facts. */
export const factualPart = (text: string): string =>
  (text.match(SENTENCE) ?? [text]).filter((sentence) => !IMPERATIVE.test(sentence.trim())).join('');
