package io.berth.operator.recording;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.model.PodRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Names that stand for those of a recording's pods, nodes, namespaces, workloads, groups, and
 * claims. They keep the order of the names, because decisions depend on it where everything else is
 * equal. A text of the recording is replaced if it is one of the names, wherever it is: so a label
 * with the name of a node still selects it. In messages, the names are replaced, too.
 */
public final class Renaming implements UnaryOperator<String> {
  /** Kinds whose names have a meaning for Kubernetes, or for the replay. */
  private static final Set<String> KEPT =
      Set.of(
          "PriorityClass",
          "StorageClass",
          "CSIDriver",
          "DeviceClass",
          "SchedulingPolicy",
          "SchedulingQueue",
          "Gauge",
          "UsageReport",
          "DefaultPolicy",
          "ServerVersion",
          "GroupDialect",
          "QueueDialect",
          "DevicesServed");

  /** Names that are the same in every cluster, or are not only names. */
  private static final Set<String> COMMON =
      Set.of("", "default", "kube-system", "cpu", "memory", "pods", "ephemeral-storage");

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

  private final Map<String, String> names = new HashMap<>();

  private Renaming() {}

  /**
   * Reads all names of a recording.
   *
   * @throws IOException if a file cannot be read; the message names it
   */
  public static Renaming of(List<Path> files) throws IOException {
    TreeSet<String> found = new TreeSet<>();
    Set<String> policies = new HashSet<>();
    for (Path file : files) {
      try (StepReader steps = new StepReader(file, UnaryOperator.identity())) {
        for (Optional<Step> step = steps.next(); step.isPresent(); step = steps.next()) {
          switch (step.get()) {
            case Step.Applied applied -> {
              collect(applied.event(), found);
              if (applied.event() instanceof ClusterEvent.PolicyServed served) {
                policies.add(served.policy().name());
              }
            }
            case Step.Asked asked -> asked.outcome().pod().ifPresent(pod -> collect(pod, found));
            case Step.Begun _ -> {} // has no names
          }
        }
      }
    }
    found.removeAll(COMMON);
    found.removeAll(policies); // pods name them
    Renaming renaming = new Renaming();
    int number = 0;
    for (String name : found) {
      renaming.names.put(name, "name-%08d".formatted(++number));
    }
    return renaming;
  }

  private static void collect(ClusterEvent event, Set<String> found) {
    ClusterEvent.Subject subject = event.subject();
    if (!KEPT.contains(subject.kind())) {
      found.add(subject.namespace());
      found.add(subject.name());
    }
    if (event instanceof ClusterEvent.PodUpserted upserted) {
      found.add(upserted.pod().nodeName());
      upserted.pod().controller().ifPresent(owner -> found.add(owner.name()));
      upserted.pod().group().ifPresent(group -> found.add(group.group().name()));
    }
  }

  private static void collect(PodRef pod, Set<String> found) {
    found.add(pod.namespace());
    found.add(pod.name());
  }

  /** Returns the number of names. */
  public int size() {
    return names.size();
  }

  @Override
  public String apply(String text) {
    String name = names.get(text);
    if (name != null) {
      return name;
    }
    // Names inside a message, or behind a namespace.
    return text.indexOf(' ') < 0 && text.indexOf('/') < 0
        ? text
        : NAME.matcher(text).replaceAll(part -> names.getOrDefault(part.group(), part.group()));
  }
}
