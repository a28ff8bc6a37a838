package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Advice;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.extender.Extender;
import io.berth.engine.model.PodRef;
import io.berth.operator.extender.ClusterObjects.UnreadPodException;
import io.berth.operator.extender.ExtenderAdvisor.LazyPod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Extenders' advice about pods to evict. The preempt calls run one after another, each with the
 * nodes and victims that the previous one left.
 */
final class VictimAdvice {
  private final String policy;
  private final LazyPod pod;
  private final ClusterObjects objects;
  private final Map<String, JsonNode> victimsRead = new HashMap<>();

  VictimAdvice(String policy, LazyPod pod, ClusterObjects objects) {
    this.policy = policy;
    this.pod = pod;
    this.objects = objects;
  }

  Advice about(List<PreemptionCandidate> candidates, List<ExtenderClient> clients)
      throws UnreadPodException {
    List<PreemptionCandidate> left = candidates;
    List<String> notes = new ArrayList<>();
    for (ExtenderClient client : clients) {
      Extender extender = client.extender();
      if (extender.verbs().preempt().isEmpty() || left.isEmpty()) {
        continue;
      }
      try {
        left = choose(client, left);
      } catch (ExtenderException e) {
        if (!extender.ignorable()) {
          return new Advice.Unavailable(Failures.needed(extender, Verb.PREEMPT, policy, e));
        }
        notes.add(Failures.passedOver(extender, Verb.PREEMPT, policy, e));
      }
    }
    return new Advice.Victims(left, notes);
  }

  private List<PreemptionCandidate> choose(
      ExtenderClient client, List<PreemptionCandidate> candidates)
      throws ExtenderException, UnreadPodException {
    Map<String, Replies.VictimsByUid> answer =
        client.ask(Verb.PREEMPT, request(client.extender(), candidates), Replies::victims);
    List<PreemptionCandidate> left = new ArrayList<>();
    for (Map.Entry<String, Replies.VictimsByUid> entry : answer.entrySet()) {
      String node = entry.getKey();
      Replies.VictimsByUid given = entry.getValue();
      if (given.uids().isEmpty()) {
        if (client.extender().ignorable()) {
          continue;
        }
        throw Replies.nonsense("it names no victim on node \"" + Replies.cut(node) + "\"");
      }
      left.add(
          new PreemptionCandidate(
              node,
              victims(node, given.uids(), candidates),
              Math.clamp(given.budgetViolations(), 0, Integer.MAX_VALUE)));
    }
    return left;
  }

  private List<PodRef> victims(String node, List<String> uids, List<PreemptionCandidate> candidates)
      throws ExtenderException {
    Map<String, PodRef> offered = new HashMap<>();
    for (PreemptionCandidate candidate : candidates) {
      if (candidate.node().equals(node)) {
        candidate.victims().forEach(victim -> offered.put(victim.uid(), victim));
      }
    }
    List<PodRef> victims = new ArrayList<>();
    for (String uid : uids) {
      PodRef known = offered.get(uid);
      if (known == null) {
        known = objects.podOn(node, uid).orElse(null);
      }
      if (known == null) {
        throw Replies.nonsense(
            "it selects a pod with UID \"%s\" on node \"%s\", but there is no such pod"
                .formatted(Replies.cut(uid), Replies.cut(node)));
      }
      victims.add(known);
    }
    return victims;
  }

  private ObjectNode request(Extender extender, List<PreemptionCandidate> candidates)
      throws UnreadPodException {
    if (extender.nodeCacheCapable()) {
      return Requests.aboutVictimsByUid(pod.json(), candidates);
    }
    List<PodRef> unread =
        candidates.stream()
            .flatMap(candidate -> candidate.victims().stream())
            .filter(victim -> !victimsRead.containsKey(victim.uid()))
            .toList();
    victimsRead.putAll(objects.pods(unread));
    List<PreemptionCandidate> there =
        candidates.stream()
            .filter(
                candidate ->
                    candidate.victims().stream()
                        .allMatch(victim -> victimsRead.containsKey(victim.uid())))
            .toList();
    return Requests.aboutVictims(pod.json(), there, victimsRead);
  }
}
