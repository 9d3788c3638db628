import { intentOf } from './route-question';

describe('H11 the rules of the router', () => {
  it.each([
    'Checkouts in the shop have been failing for some minutes. What is the root cause?',
    'A customer said that the shop felt slow this evening. Is anything broken?',
    'Service Availability Disruption.',
    'Partial Service Unreachability.',
    'Service latency increased significantly',
    'Service abnormal restart.',
    'Why is the payments API returning 503?',
    'Our database is down, how do I fix it?',
    'What happened to the orders service?',
    'Warum schlagen die Bestellungen fehl? Bitte untersuche die Störung.',
    'Der Bestelldienst antwortet nicht.',
    '结账服务一直报错，根因是什么？',
    '为什么订单服务变慢了？',
  ])('investigates: %s', (question) => {
    expect(intentOf(question)).toBe('DIAGNOSIS');
  });

  it.each([
    'How do I recover from an exhausted database connection pool?',
    'What is the procedure for a pod in CrashLoopBackOff?',
    'Is there a runbook for expired TLS certificates?',
    'How to drain a node?',
    'What should we do when a JetStream consumer falls behind?',
    'What does ImagePullBackOff mean?',
    'Wie behebe ich eine volle Festplatte auf einem Datenbankserver?',
    'Welche Schritte sind bei einem Datenbankausfall nötig? Wo steht die Anleitung für die Datenbank?',
    '如何处理数据库连接池耗尽？',
    '证书过期的处理步骤是什么？',
  ])('looks up: %s', (question) => {
    expect(intentOf(question)).toBe('KNOWLEDGE_QUERY');
  });

  it.each([
    'Write a poem about the sea.',
    'How do I bake bread?',
    'What is the capital of France?',
    'Why is the sky blue?',
    'Wie wird das Wetter morgen?',
    '今天天气怎么样？',
    '',
  ])('declines: %s', (question) => {
    expect(intentOf(question)).toBe('OUT_OF_SCOPE');
  });
});
