package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.model.PodRef;
import io.berth.engine.whatif.PlacementAnswer.NotPlaced;
import io.berth.engine.whatif.PolicyAnswer;
import io.berth.engine.whatif.PolicyAnswer.Change;
import io.berth.engine.whatif.PolicyEffect;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The status of a PolicyReview or LocalPolicyReview about a policy, config, or binding. The latter
 * names only pods of its namespace, and nodes other than those of these pods only to users who may
 * list them.
 */
final class PolicyReviewStatus {
  private final String policy;
  private final String namespace;
  private final boolean namesNodes;

  /**
   * @param policy the name of the policy, config, or binding
   * @param namespace the namespace of the review; empty for all
   * @param namesNodes whether the user may list nodes
   */
  PolicyReviewStatus(String policy, String namespace, boolean namesNodes) {
    this.policy = policy;
    this.namespace = namespace;
    this.namesNodes = namesNodes;
  }

  /**
   * Returns the status with an answer.
   *
   * @param doubt why the answer may be wrong or incomplete; empty if it is neither
   */
  ObjectNode of(PolicyAnswer answer, Optional<String> doubt) {
    ObjectNode status = JsonNodeFactory.instance.objectNode();
    String message = message(answer);
    status.put("result", result(answer, doubt.isPresent()));
    status.put(
        "message", doubt.map(why -> message + "; this may be wrong: " + why).orElse(message));
    status.put("pods", answer.pods()).put("tried", answer.tried());
    status.put("notTried", answer.notTried());
    if (answer.unknownOrigin() > 0) {
      status.put("unknownOrigin", answer.unknownOrigin());
    }
    for (PolicyEffect effect : PolicyEffect.values()) {
      status.put(field(effect), answer.count(effect));
    }
    if (!answer.victims().isEmpty()) {
      evicted(status.putObject("evictions"), answer.victims());
    }
    ArrayNode changes = status.putArray("changes");
    answer.changes().forEach(change -> write(changes.addObject(), change));
    if (answer.advised()) {
      status.put("extendersAsked", false);
    }
    return status.put("truncated", answer.truncated());
  }

  private static String result(PolicyAnswer answer, boolean inDoubt) {
    if (answer.count(PolicyEffect.FITS_NOWHERE) + answer.count(PolicyEffect.DENIED) > 0) {
      return "PodsRejected";
    }
    if (answer.truncated() || inDoubt) {
      return "Unknown";
    }
    if (answer.count(PolicyEffect.UNCHANGED) < answer.tried()) {
      return "PodsMove";
    }
    return answer.unknownOrigin() > 0 ? "Unknown" : "NoEffect";
  }

  private static String field(PolicyEffect effect) {
    return switch (effect) {
      case DENIED -> "denied";
      case FITS_NOWHERE -> "fitNowhere";
      case EVICTS -> "evicting";
      case GOES_ELSEWHERE -> "elsewhere";
      case FITS_NOW -> "fitNow";
      case UNCHANGED -> "unchanged";
    };
  }

  private static String message(PolicyAnswer answer) {
    List<String> parts = new ArrayList<>();
    add(parts, answer.count(PolicyEffect.DENIED), "would be denied");
    add(parts, answer.count(PolicyEffect.FITS_NOWHERE), "would fit nowhere");
    add(parts, answer.count(PolicyEffect.EVICTS), "would evict other pods");
    add(parts, answer.count(PolicyEffect.GOES_ELSEWHERE), "would go to another node");
    add(parts, answer.count(PolicyEffect.FITS_NOW), "would fit that fit nowhere today");
    if (parts.isEmpty()) {
      parts.add("nothing would change");
    }
    add(
        parts,
        answer.unknownOrigin(),
        "were not tried, because it is not known what they were before they were rendered");
    String effects = String.join(", ", parts);
    return answer.truncated()
        ? "%d of %d pods were tried in time: %s"
            .formatted(answer.tried() + answer.notTried(), answer.pods(), effects)
        : "of %d pods: %s".formatted(answer.pods(), effects);
  }

  private static void add(List<String> parts, int pods, String effect) {
    if (pods > 0) {
      parts.add(pods + " " + effect);
    }
  }

  private void write(ObjectNode item, Change change) {
    item.put("namespace", change.pod().namespace()).put("name", change.pod().name());
    item.put("effect", effect(change.effect()));
    if (!change.node().isEmpty()) {
      item.put("node", change.node());
    }
    if (namesNodes && !change.today().isEmpty()) {
      item.put("today", change.today());
    }
    if (namesNodes && !change.to().isEmpty()) {
      item.put("to", change.to());
    }
    if (!change.victims().isEmpty()) {
      evicted(item.putObject("evictions"), change.victims());
    }
    item.put("message", message(change));
  }

  private static String effect(PolicyEffect effect) {
    return switch (effect) {
      case DENIED -> "Denied";
      case FITS_NOWHERE -> "FitsNowhere";
      case EVICTS -> "Evicts";
      case GOES_ELSEWHERE -> "GoesElsewhere";
      case FITS_NOW -> "FitsNow";
      case UNCHANGED -> "Unchanged";
    };
  }

  private String message(Change change) {
    if (change.notPlaced().isPresent()) {
      return message(change.notPlaced().get());
    }
    if (change.effect() == PolicyEffect.DENIED) {
      return change.denial();
    }
    String to = namesNodes ? change.to() : "another node";
    return change.effect() == PolicyEffect.EVICTS
        ? "%d pods would be evicted for it".formatted(change.victims().size())
        : "it would go to " + to;
  }

  private String message(NotPlaced not) {
    String message = not.message().replace(ReviewedPolicy.NAME, policy);
    return namesNodes || not.wouldEvict().isEmpty()
        ? message
        : new NodeNames(not.wouldEvict().get().nodeName()::equals, "").hideIn(message);
  }

  private void evicted(ObjectNode item, Collection<PodRef> victims) {
    List<PodRef> own =
        victims.stream()
            .filter(pod -> namespace.isEmpty() || pod.namespace().equals(namespace))
            .toList();
    item.put("pods", victims.size());
    if (!namespace.isEmpty()) {
      item.put("ofOtherNamespaces", victims.size() - own.size());
    }
    ArrayNode names = item.putArray("names");
    own.stream()
        .limit(ReviewStatus.MOST_LISTED)
        .map(pod -> namespace.isEmpty() ? pod.namespace() + "/" + pod.name() : pod.name())
        .forEach(names::add);
  }
}
