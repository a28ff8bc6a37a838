package io.berth.operator.policy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The complete revisions of objects of one kind, stored as ControllerRevisions in the operator's
 * namespace: the last one, and the one before it, to which a user can go back.
 */
final class RevisionObjects {
  private static final String REVISION_ANNOTATION = "sched.cloud.ctrip.com/policy-revision";
  private static final Logger LOG = LoggerFactory.getLogger(RevisionObjects.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_READABLE = 200;

  private final KubernetesClient client;
  private final String namespace;
  private final String label;
  private final String nameAnnotation;
  private final String prefix;

  /**
   * A revision to store.
   *
   * @param revision its generation
   * @param data its spec
   * @param hash the hash of its spec
   */
  record Revision(String name, String revision, Object data, String hash, OwnerReference owner) {}

  /**
   * @param label the label of the ControllerRevisions
   * @param nameAnnotation the annotation with the name of the object
   * @param prefix the beginning of the names of the ControllerRevisions
   */
  RevisionObjects(
      KubernetesClient client,
      String namespace,
      String label,
      String nameAnnotation,
      String prefix) {
    this.client = client;
    this.namespace = namespace;
    this.label = label;
    this.nameAnnotation = nameAnnotation;
    this.prefix = prefix;
  }

  /** Returns the newest stored revision of each object, by its name. */
  Map<String, ControllerRevision> newest() {
    Map<String, ControllerRevision> newest = new HashMap<>();
    for (ControllerRevision kept : list()) {
      if (owner(kept).isPresent()) {
        newest.merge(name(kept), kept, (a, b) -> a.getRevision() >= b.getRevision() ? a : b);
      }
    }
    return newest;
  }

  /**
   * Stores a revision. The one that was complete before it is kept, too; after going back, the
   * revision that was withdrawn is deleted.
   *
   * @param hashOf returns the hash of a stored spec; empty if it should not be kept
   */
  void keep(Revision revision, Function<ControllerRevision, Optional<String>> hashOf) {
    List<ControllerRevision> before =
        list().stream()
            .filter(kept -> name(kept).equals(revision.name()))
            .sorted(Comparator.comparing(ControllerRevision::getRevision).reversed())
            .toList();
    if (before.stream()
        .anyMatch(kept -> isSame(kept, revision) && hashOf.apply(kept).isPresent())) {
      return;
    }
    long number = before.isEmpty() ? 1 : before.getFirst().getRevision() + 1;
    client
        .resource(
            new ControllerRevisionBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(objectName(revision.name(), number))
                .addToLabels(label, "true")
                .addToAnnotations(nameAnnotation, revision.name())
                .addToAnnotations(REVISION_ANNOTATION, revision.revision())
                .withOwnerReferences(revision.owner())
                .endMetadata()
                .withRevision(number)
                .withData(revision.data())
                .build())
        .create();
    Optional<ControllerRevision> previous = previous(before, revision, hashOf);
    before.stream()
        .filter(kept -> !previous.equals(Optional.of(kept)))
        .forEach(kept -> client.resource(kept).delete());
  }

  /** Returns the revision of another content that was complete before this one. */
  private static Optional<ControllerRevision> previous(
      List<ControllerRevision> newestFirst,
      Revision revision,
      Function<ControllerRevision, Optional<String>> hashOf) {
    List<ControllerRevision> kept =
        newestFirst.stream()
            .filter(each -> uid(each).equals(revision.owner().getUid()))
            .filter(each -> hashOf.apply(each).isPresent())
            .toList();
    Optional<String> hash = Optional.of(revision.hash());
    Optional<ControllerRevision> other =
        kept.stream().filter(each -> !hashOf.apply(each).equals(hash)).findFirst();
    boolean wentBack =
        other.isPresent()
            && other.get().equals(kept.getFirst())
            && kept.stream().anyMatch(each -> hashOf.apply(each).equals(hash));
    return wentBack ? Optional.empty() : other;
  }

  private static boolean isSame(ControllerRevision kept, Revision revision) {
    return revision(kept).equals(revision.revision())
        && uid(kept).equals(revision.owner().getUid());
  }

  /** Returns the generation of a stored revision. */
  static String revision(ControllerRevision kept) {
    return annotation(kept, REVISION_ANNOTATION);
  }

  /**
   * Returns the stored spec; empty, with a warning, if it cannot be read.
   *
   * @param what what the revision should hold, for the message
   */
  static <S> Optional<S> spec(ControllerRevision kept, Class<S> type, String what) {
    try {
      return Optional.of(JSON.convertValue(kept.getData(), type));
    } catch (IllegalArgumentException e) {
      LOG.warn(
          "ControllerRevision {}/{} does not hold a {}: {}",
          kept.getMetadata().getNamespace(),
          kept.getMetadata().getName(),
          what,
          e.getMessage());
      return Optional.empty();
    }
  }

  static Optional<OwnerReference> owner(ControllerRevision kept) {
    List<OwnerReference> owners = kept.getMetadata().getOwnerReferences();
    return owners == null ? Optional.empty() : owners.stream().findFirst();
  }

  private static String uid(ControllerRevision kept) {
    return owner(kept).map(OwnerReference::getUid).orElse("");
  }

  private List<ControllerRevision> list() {
    return client
        .apps()
        .controllerRevisions()
        .inNamespace(namespace)
        .withLabel(label, "true")
        .list()
        .getItems();
  }

  private String name(ControllerRevision kept) {
    return annotation(kept, nameAnnotation);
  }

  private static String annotation(ControllerRevision kept, String key) {
    Map<String, String> annotations = kept.getMetadata().getAnnotations();
    return annotations == null ? "" : annotations.getOrDefault(key, "");
  }

  /** Returns a name that is unique, readable, and short enough for any name of an object. */
  private String objectName(String name, long number) {
    CRC32 crc = new CRC32();
    crc.update(name.getBytes(StandardCharsets.UTF_8));
    String readable = name.substring(0, Math.min(name.length(), LONGEST_READABLE));
    return prefix
        + "-"
        + readable
        + "-"
        + HexFormat.of().toHexDigits((int) crc.getValue())
        + "-"
        + number;
  }
}
