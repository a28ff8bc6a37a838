package io.berth.operator.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.api.Advice;
import io.berth.engine.extender.Extender;
import io.berth.engine.framework.Verdict;
import io.berth.operator.api.Timing;
import io.berth.operator.extender.ClusterObjects.UnreadPodException;
import io.berth.operator.extender.ExtenderAdvisor.LazyPod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Extenders' advice about nodes. The filter calls run one after another, each with the nodes that
 * the previous one left. If more than one node is left, the prioritize calls run concurrently; an
 * extender that fails to score contributes no scores.
 */
final class NodeAdvice {
  /** The factor from an extender's scores, 0 to 10, to a plugin's scores, 0 to 100. */
  private static final int SCALE = 10;

  private final String policy;
  private final LazyPod pod;
  private final ClusterObjects objects;
  private final Timing timing;
  private final Map<String, Advice.Refused> refusals = new HashMap<>();
  private final List<String> notes = new ArrayList<>();

  NodeAdvice(String policy, LazyPod pod, ClusterObjects objects, Timing timing) {
    this.timing = timing;
    this.policy = policy;
    this.pod = pod;
    this.objects = objects;
  }

  Advice about(List<String> names, List<ExtenderClient> clients) throws UnreadPodException {
    List<String> left = names;
    for (ExtenderClient client : clients) {
      Extender extender = client.extender();
      if (extender.verbs().filter().isEmpty() || left.isEmpty()) {
        continue;
      }
      try {
        left = filter(client, left);
      } catch (ExtenderException e) {
        if (!extender.ignorable()) {
          return new Advice.Unavailable(Failures.needed(extender, Verb.FILTER, policy, e));
        }
        notes.add(Failures.passedOver(extender, Verb.FILTER, policy, e));
      }
    }
    List<Advice.Scores> scores = left.size() > 1 ? scores(left, clients) : List.of();
    return new Advice.Nodes(Optional.of(new HashSet<>(left)), refusals, scores, notes);
  }

  private List<String> filter(ExtenderClient client, List<String> names)
      throws ExtenderException, UnreadPodException {
    Extender extender = client.extender();
    Replies.Filtered filtered =
        client.ask(
            Verb.FILTER,
            request(extender, names),
            json -> Replies.filtered(json, extender.nodeCacheCapable(), names));
    Set<String> kept = new HashSet<>(filtered.nodes());
    for (String name : names) {
      if (!kept.contains(name)) {
        refusals.put(name, refused(extender, name, filtered));
      }
    }
    return names.stream().filter(kept::contains).toList();
  }

  /**
   * Returns the verdict on a rejected node. As in kube-scheduler, eviction does not help for a node
   * that was omitted without a reason.
   */
  private static Advice.Refused refused(Extender extender, String node, Replies.Filtered filtered) {
    String by = extender.urlPrefix();
    String unresolvable = filtered.unresolvable().get(node);
    if (unresolvable != null) {
      return new Advice.Refused(by, Verdict.unresolvable(words(unresolvable, by)));
    }
    String failed = filtered.failed().get(node);
    return failed == null
        ? new Advice.Refused(by, Verdict.unresolvable(words("", by)))
        : new Advice.Refused(by, Verdict.unschedulable(words(failed, by)));
  }

  private static String words(String reason, String by) {
    return reason.isBlank() ? "node(s) were rejected by extender " + by : reason;
  }

  private List<Advice.Scores> scores(List<String> names, List<ExtenderClient> clients)
      throws UnreadPodException {
    List<ExtenderClient> scoring =
        clients.stream()
            .filter(client -> client.extender().verbs().prioritize().isPresent())
            .toList();
    if (scoring.isEmpty()) {
      return List.of();
    }
    pod.json(); // read it once, before concurrent calls need it
    List<CompletableFuture<Map<String, Long>>> answers = new ArrayList<>();
    for (ExtenderClient client : scoring) {
      answers.add(
          onOwnThread(
              () ->
                  client.ask(Verb.PRIORITIZE, request(client.extender(), names), Replies::scores)));
    }
    List<Advice.Scores> scores = new ArrayList<>();
    for (int i = 0; i < scoring.size(); i++) {
      Extender extender = scoring.get(i).extender();
      try {
        scores.add(scaled(extender, timing.await(answers.get(i))));
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof ExtenderException failure)) {
          throw e;
        }
        notes.add(Failures.passedOver(extender, Verb.PRIORITIZE, policy, failure));
      }
    }
    return scores;
  }

  private static Advice.Scores scaled(Extender extender, Map<String, Long> given) {
    Map<String, Integer> scores = new HashMap<>();
    long most = Integer.MAX_VALUE / SCALE;
    given.forEach((node, score) -> scores.put(node, (int) Math.clamp(score, -most, most) * SCALE));
    return new Advice.Scores(extender.urlPrefix(), extender.weight(), scores);
  }

  private ObjectNode request(Extender extender, List<String> names) throws UnreadPodException {
    JsonNode json = pod.json();
    return extender.nodeCacheCapable()
        ? Requests.aboutNames(json, names)
        : Requests.aboutNodes(json, objects.nodes(names));
  }

  private <T> CompletableFuture<T> onOwnThread(Callable<T> task) {
    CompletableFuture<T> done = new CompletableFuture<>();
    timing.fork(
        "extender-scores",
        () -> {
          try {
            done.complete(task.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }
}
