import { z } from 'zod';
import type { Intent } from '@inquest/contracts/outcome';

const Route = z.looseObject({ kind: z.literal('route'), question: z.string() });

const any = (...sources: string[]) => new RegExp(`(?:${sources.join('|')})`, 'iu');

/** The forms in which people ask for written knowledge: a way of doing something, a meaning, a document. */
const HOW_TO = any(
  String.raw`\bhow (?:do|can|should|would|could|may|must|does one) (?:i|we|you|one|someone|an? )`,
  String.raw`\bhow to\b`,
  String.raw`\bwhat (?:is|are) the (?:\w+ ){0,2}(?:procedure|process|steps?|way|practices?|runbook|recommended|policy)\b`,
  String.raw`\b(?:which|what) steps\b`,
  String.raw`\b(?:runbook|playbook|documentation|best practices?|guidelines?|handbook)\b`,
  String.raw`\bwhat does .{1,80} mean\b`,
  String.raw`\b(?:explain|describe) (?:how|what|the (?:procedure|steps|difference))\b`,
  String.raw`\bwhat (?:should|must|do) (?:i|we|you) do (?:when|if)\b`,
  String.raw`\bwhat to do (?:when|if)\b`,
  String.raw`\bwie (?:kann|können|soll|sollte|muss|behebe|behebt|beheben|löse|löst|gehe|geht|mache|macht|setze|starte|prüfe|prüft|richte|wird|werden)\b`,
  String.raw`\b(?:anleitung|handbuch|betriebshandbuch|vorgehen|vorgehensweise|verfahren|dokumentation)\b`,
  String.raw`\bwas (?:bedeutet|heißt|ist zu tun|mache ich|tun,? wenn)\b`,
  String.raw`\bwelche schritte\b`,
  '如何|怎么|怎样|步骤|手册|流程|文档|什么意思|应该做什么|该怎么办',
);

/** Something is wrong, or somebody asks whether it is. */
const SYMPTOM = any(
  String.raw`\b(?:fail(?:s|ed|ing|ures?)?|errors?|down|slow(?:er|ness)?|outages?|broken|unavailab\w*|unreachab\w*|unhealthy|disruptions?|degrad\w*)\b`,
  String.raw`\b(?:crash\w*|restart\w*|latenc\w*|time ?outs?|timing out|hang(?:s|ing)?|stuck|pending|oom\w*|leak\w*|exhaust\w*|refus\w*|reject\w*|5\d\d)\b`,
  String.raw`\b(?:incidents?|alerts?|root ?causes?|diagnos\w*|investigat\w*|troubleshoot\w*|anomal\w*|spik\w*|wrong|issues?|problems?|dropp\w*|lost|missing|abnormal\w*)\b`,
  String.raw`\b(?:not|n't) (?:work\w*|respond\w*|start\w*|load\w*|answer\w*|available|ready|reachable)\b`,
  String.raw`\b(?:störung\w*|ausfall\w*|ausgefallen|fehler\w*|fehlgeschlagen|fehlschl\w*|langsam\w*|kaputt|abgestürzt|absturz\w*|stürzt|hängt|ursache\w*|untersuch\w*|diagnos\w*|alarm\w*|problem\w*|scheiter\w*|defekt\w*|erreichbar|verfügbar)\b`,
  String.raw`\b(?:geht|gehen|funktioniert|funktionieren|antwortet|antworten|startet|lädt) nicht\b`,
  '故障|失败|报错|错误|异常|超时|变慢|很慢|缓慢|延迟|宕机|崩溃|重启|不可用|无法|中断|告警|根因|原因|诊断|排查|问题|坏了|挂了',
);

/** It is happening to somebody's system now, or did lately: an incident even when asked as "how do I fix it". */
const LIVE = any(
  String.raw`\b(?:has|have) been\b`,
  String.raw`\b(?:right now|at the moment|currently|since|for (?:some|a few|the last|\d+) (?:minutes?|hours?)|this (?:morning|evening|afternoon)|tonight|today|just now|minutes ago|last night)\b`,
  String.raw`\b(?:our|my|the) [\w-]+(?: [\w-]+)? (?:is|are|was|were|keeps?|fails?|failed|crashed|stopped)\b`,
  String.raw`\b(?:seit|gerade|momentan|derzeit|aktuell|jetzt|heute|vorhin|soeben)\b`,
  '刚才|刚刚|现在|目前|正在|今天|今晚|分钟前|从.{1,12}开始|一直',
);
const CONDITIONAL = any(String.raw`\b(?:when|if|whenever|in case|wenn|falls)\b`, '如果|当.{1,20}时|的时候');
const WHY = any(
  String.raw`\bwhy\b`,
  String.raw`\bwhat (?:happened|is going on|went on|caused|is causing)\b`,
  String.raw`\b(?:warum|weshalb|wieso|woran liegt|was ist (?:passiert|los))\b`,
  '为什么|为何|怎么回事|发生了什么',
);

/** What on-call engineers run: without one of these words a how-to question is about something else. */
const OPERATIONS = any(
  String.raw`\b\w*(?:backoff|killed|notready|unschedulable|evicted)\b`,
  String.raw`\b(?:kubernetes|k8s|pods?|nodes?|clusters?|containers?|deployments?|rollouts?|roll ?back|namespaces?|services?|ingress|endpoints?|probes?|images?|registry|secrets?|configmaps?|volumes?|pvcs?|quotas?|helm|docker|cron ?jobs?)\b`,
  String.raw`\b(?:postgres\w*|mysql|redis|databases?|sql|connections?|pools?|transactions?|locks?|deadlocks?|replicas?|replication|quer(?:y|ies)|vacuum|backups?|restore|datenbank\w*|verbindung\w*|transaktion\w*)\b`,
  String.raw`\b(?:nats|jetstream|kafka|rabbitmq|queues?|streams?|consumers?|brokers?|messages?)\b`,
  String.raw`\b(?:https?|tls|dns|certificates?|zertifikat\w*|api|apis|gateways?|proxy|load balancers?|latency|timeouts?|upstreams?|requests?|retries)\b`,
  String.raw`\b(?:cpu|memory|disks?|oom\w*|crashloop\w*|metrics?|logs?|logging|monitoring|alerts?|servers?|hosts?|processes|process|incidents?|outages?|on-?call|runbooks?|playbooks?|scal\w+|speicher|festplatte|dienst\w*|störung\w*|ausfall\w*|dashboards?|traffic|site|website|app|apps|application\w*|systems?)\b`,
  '集群|容器|节点|服务|数据库|连接池|连接|事务|死锁|证书|磁盘|内存|日志|监控|告警|部署|回滚|扩容|队列|消息|网关|镜像|系统|接口|网站|订单|运维|故障',
);

/** The product's three intents, by the words of English, German and Chinese questions. */
export const intentOf = (question: string): Intent => {
  const text = question.normalize('NFKC');
  const symptom = SYMPTOM.test(text);
  const operations = OPERATIONS.test(text);
  const live = LIVE.test(text) && !CONDITIONAL.test(text);
  if (HOW_TO.test(text) && (operations || symptom)) return live && symptom ? 'DIAGNOSIS' : 'KNOWLEDGE_QUERY';
  if (WHY.test(text) && (symptom || operations)) return 'DIAGNOSIS';
  if (symptom) return 'DIAGNOSIS';
  return 'OUT_OF_SCOPE';
};

export const routeQuestion = (document: unknown): Intent => {
  const route = Route.safeParse(document);
  return route.success ? intentOf(route.data.question) : 'OUT_OF_SCOPE';
};
