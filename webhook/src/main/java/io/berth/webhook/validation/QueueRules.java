package io.berth.webhook.validation;

import io.berth.crds.SchedulingQueueSpec;
import io.berth.crds.schema.NearestName;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.error.Quoted;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Validates one queue among the others: its place in the tree, and what its parts may promise. */
final class QueueRules {
  /** The maximum number of queues from one at the top to one at the bottom. */
  static final int MOST_LEVELS = 10;

  private static final String DEFAULT = "default";

  private final Map<String, SchedulingQueueSpec> queues;
  private final List<Problem> problems = new ArrayList<>();
  private final List<Problem> warnings = new ArrayList<>();

  /**
   * @param others the known queues by name
   */
  QueueRules(Map<String, SchedulingQueueSpec> others) {
    this.queues = new HashMap<>(others);
  }

  /** Returns the findings for a queue whose amounts are known to be valid. */
  ValidationResult check(String name, SchedulingQueueSpec spec) {
    queues.put(name, spec);
    checkLimit(spec);
    if (spec.parent() != null) {
      checkParent(name, spec.parent());
    } else if (levelsFrom(name) > MOST_LEVELS) {
      invalid(
          "metadata.name",
          "is named as the parent of queues with %d levels below it; at most %d are allowed: remove levels there first"
              .formatted(levelsFrom(name) - 1, MOST_LEVELS - 1));
    }
    if (problems.isEmpty()) {
      checkParts(spec.parent(), "spec.guarantee");
      checkParts(name, "spec.guarantee");
      warnings.addAll(new QueueWarnings(queues).of(name, spec));
    }
    return new ValidationResult(problems, warnings);
  }

  private void checkLimit(SchedulingQueueSpec spec) {
    new TreeMap<>(spec.limit())
        .forEach(
            (resource, limit) -> {
              Quantity guarantee = spec.guarantee().get(resource);
              if (guarantee != null && amount(guarantee).compareTo(amount(limit)) > 0) {
                invalid(
                    "spec.limit." + resource,
                    "is %s, which is less than the guarantee of %s: raise it, or lower the guarantee"
                        .formatted(limit, guarantee));
              }
            });
  }

  private void checkParent(String name, String parent) {
    if (parent.equals(DEFAULT)) {
      invalid(
          "spec.parent",
          "is \"default\", the queue of pods that belong to no other, which has no parts: name"
              + " another queue, or remove the field");
      return;
    }
    Set<String> above = new HashSet<>();
    for (String at = parent; at != null; at = parentOf(at)) {
      if (at.equals(name)) {
        invalid(
            "spec.parent",
            "is %s, which is a part of this queue: name a queue that is not, or remove the field"
                .formatted(Quoted.name(parent)));
        return;
      }
      if (!above.add(at)) {
        break; // a cycle of other queues, which their own reviews report
      }
    }
    int levels = above.size() + levelsFrom(name);
    if (levels > MOST_LEVELS) {
      invalid(
          "spec.parent",
          "makes %d levels of queues, of which %d are above this one; at most %d are allowed: name a queue further up, or remove levels below this one"
              .formatted(levels, above.size(), MOST_LEVELS));
    }
    if (!queues.containsKey(parent)) {
      warnings.add(
          new Problem(
              ErrorCode.QUEUE_PARENT_UNKNOWN,
              "spec.parent",
              "SchedulingQueue %s does not exist, so this queue is at the top until it does%s"
                  .formatted(Quoted.name(parent), NearestName.question(parent, queues.keySet()))));
    }
  }

  /** Returns the number of levels of the queue and those below it. */
  private int levelsFrom(String name) {
    Map<String, List<String>> parts = new HashMap<>();
    queues.forEach(
        (part, spec) -> {
          if (spec.parent() != null) {
            parts.computeIfAbsent(spec.parent(), absent -> new ArrayList<>()).add(part);
          }
        });
    Set<String> seen = new HashSet<>();
    List<String> level = List.of(name);
    int levels = 0;
    while (!level.isEmpty()) {
      levels++;
      level =
          level.stream()
              .filter(seen::add)
              .flatMap(whole -> parts.getOrDefault(whole, List.of()).stream())
              .toList();
    }
    return levels;
  }

  private @Nullable String parentOf(String name) {
    SchedulingQueueSpec spec = queues.get(name);
    return spec == null ? null : spec.parent();
  }

  /** Reports guarantees of parts that exceed that of the whole. */
  private void checkParts(@Nullable String whole, String path) {
    SchedulingQueueSpec spec = whole == null ? null : queues.get(whole);
    if (spec == null) {
      return; // what the queues at the top promise is compared with no capacity, which changes
    }
    Map<String, BigDecimal> sums = new TreeMap<>();
    queues.values().stream()
        .filter(each -> whole.equals(each.parent()))
        .forEach(
            part ->
                part.guarantee()
                    .forEach(
                        (resource, amount) ->
                            sums.merge(resource, amount(amount), BigDecimal::add)));
    sums.forEach(
        (resource, sum) -> {
          Quantity guarantee = spec.guarantee().getOrDefault(resource, new Quantity("0"));
          if (sum.compareTo(amount(guarantee)) > 0) {
            invalid(
                path + "." + resource,
                "the parts of SchedulingQueue %s would be guaranteed %s %s together, more than its own guarantee of %s: raise that one first, or lower those of its parts"
                    .formatted(whole, plain(sum), resource, guarantee));
          }
        });
  }

  private static String plain(BigDecimal amount) {
    return amount.stripTrailingZeros().toPlainString();
  }

  private static BigDecimal amount(Quantity quantity) {
    return Quantity.getAmountInBytes(quantity);
  }

  private void invalid(String path, String message) {
    problems.add(new Problem(ErrorCode.QUEUE_INVALID, path, message));
  }
}
