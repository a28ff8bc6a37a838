package io.berth.engine.kube;

import static io.berth.engine.kube.PodCompiler.orEmpty;

import io.berth.engine.model.PodCards;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueRef;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the queues of other dialects that a pod names itself. The queue of a Volcano PodGroup, and
 * queues that select namespaces, are not among them.
 */
final class QueueReading {
  static final String KAI_LABEL = "kai.scheduler/queue";
  static final String KOORDINATOR_LABEL = "quota.scheduling.koordinator.sh/name";

  /** The annotations with which pods of KAI request parts of GPUs. */
  private static final List<String> KAI_PARTS = List.of("gpu-fraction", "gpu-memory");

  /** On pods for which Volcano creates a PodGroup. */
  static final String VOLCANO_ANNOTATION = "scheduling.volcano.sh/queue-name";

  /** On pods of Volcano Jobs. */
  static final String VOLCANO_JOB_ANNOTATION = "volcano.sh/queue-name";

  /** The maximum length of a name that can exist. */
  private static final int MOST_NAME = 253;

  private QueueReading() {}

  /**
   * Returns the queues that a pod names.
   *
   * @throws RefusedException if the pod is of a KAI queue and requests a part of a GPU, as only KAI
   *     places it
   */
  static List<QueueRef> of(ObjectMeta pod) {
    Map<String, String> annotations = Objects.requireNonNullElse(pod.getAnnotations(), Map.of());
    List<QueueRef> queues = named(pod);
    if (queues.stream().anyMatch(queue -> queue.dialect() == QueueDialect.KAI)) {
      for (String part : KAI_PARTS) {
        if (annotations.containsKey(part)) {
          throw new RefusedException(
              "annotation %s requests a part of a GPU from KAI, which Berth does not share: request whole GPUs as %s, or a share that the agent of the nodes supports, or leave the pod to KAI"
                  .formatted(part, PodCards.COUNTED_GPU));
        }
      }
    }
    return queues;
  }

  /** Returns the queues that a pod names, whatever it requests. */
  static List<QueueRef> named(ObjectMeta pod) {
    Map<String, String> labels = Objects.requireNonNullElse(pod.getLabels(), Map.of());
    Map<String, String> annotations = Objects.requireNonNullElse(pod.getAnnotations(), Map.of());
    List<QueueRef> queues = new ArrayList<>(0);
    add(queues, QueueDialect.VOLCANO, annotations.get(VOLCANO_ANNOTATION));
    add(queues, QueueDialect.VOLCANO, annotations.get(VOLCANO_JOB_ANNOTATION));
    add(queues, QueueDialect.KAI, labels.get(KAI_LABEL));
    add(queues, QueueDialect.KOORDINATOR, labels.get(KOORDINATOR_LABEL));
    return queues;
  }

  private static void add(List<QueueRef> queues, QueueDialect dialect, @Nullable String name) {
    String given = orEmpty(name);
    if (!given.isEmpty()) {
      queues.add(new QueueRef(dialect, given.substring(0, Math.min(given.length(), MOST_NAME))));
    }
  }
}
