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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The complete revisions of objects of one kind, stored as ControllerRevisions in the operator's
 * namespace: the last one, and the one before it, to which a user can go back.
 */
final class RevisionObjects {
  private static final String REVISION_ANNOTATION = "sched.cloud.ctrip.com/policy-revision";
  private static final String HASH_ANNOTATION = "sched.cloud.ctrip.com/spec-hash";
  private static final Logger LOG = LoggerFactory.getLogger(RevisionObjects.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int LONGEST_READABLE = 200;

  private final KubernetesClient client;
  private final String namespace;
  private final String label;
  private final String nameAnnotation;
  private final String prefix;

  /**
   * The stored revisions of each object, the newest first, without the specs; null before the first
   * write, and after one that has failed. Only the leader writes. Guarded by this.
   */
  private @Nullable Map<String, List<Kept>> index;

  /** A stored revision without its spec. */
  private record Kept(
      String objectName, long number, String revision, String uid, Optional<String> hash) {
    static Kept of(ControllerRevision kept, Function<ControllerRevision, Optional<String>> hashOf) {
      return new Kept(
          kept.getMetadata().getName(),
          kept.getRevision(),
          RevisionObjects.revision(kept),
          RevisionObjects.uid(kept),
          hashOf.apply(kept));
    }

    boolean isSame(Revision other) {
      return revision.equals(other.revision()) && uid.equals(other.owner().getUid());
    }
  }

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
    return newest(list(), nameAnnotation);
  }

  /** Returns the newest of some stored revisions of each object, by its name. */
  static Map<String, ControllerRevision> newest(
      List<ControllerRevision> stored, String nameAnnotation) {
    Map<String, ControllerRevision> newest = new HashMap<>();
    for (ControllerRevision kept : stored) {
      if (owner(kept).isPresent() && !revision(kept).isEmpty()) {
        newest.merge(
            annotation(kept, nameAnnotation),
            kept,
            (a, b) -> a.getRevision() >= b.getRevision() ? a : b);
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
  synchronized void keep(Revision revision, Function<ControllerRevision, Optional<String>> hashOf) {
    Map<String, List<Kept>> known = index == null ? read(hashOf) : index;
    List<Kept> before = known.getOrDefault(revision.name(), List.of());
    if (before.stream().anyMatch(kept -> kept.isSame(revision) && kept.hash().isPresent())) {
      index = known;
      return;
    }
    index = null; // until the writes have succeeded
    ControllerRevision created = create(revision, before);
    Optional<Kept> previous = previous(before, revision);
    for (Kept kept : before) {
      if (!previous.equals(Optional.of(kept))) {
        client
            .apps()
            .controllerRevisions()
            .inNamespace(namespace)
            .withName(kept.objectName())
            .delete();
      }
    }
    known.put(
        revision.name(),
        Stream.concat(
                Stream.of(Kept.of(created, same -> Optional.of(revision.hash()))),
                previous.stream())
            .toList());
    index = known;
  }

  private Map<String, List<Kept>> read(Function<ControllerRevision, Optional<String>> hashOf) {
    return list().stream()
        .sorted(Comparator.comparing(ControllerRevision::getRevision).reversed())
        .collect(
            Collectors.groupingBy(
                this::name,
                HashMap::new,
                Collectors.mapping(kept -> Kept.of(kept, hashOf), Collectors.toList())));
  }

  private ControllerRevision create(Revision revision, List<Kept> newestFirst) {
    long number = newestFirst.isEmpty() ? 1 : newestFirst.getFirst().number() + 1;
    return client
        .resource(
            new ControllerRevisionBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(objectName(revision.name(), number))
                .addToLabels(label, "true")
                .addToAnnotations(nameAnnotation, revision.name())
                .addToAnnotations(REVISION_ANNOTATION, revision.revision())
                .addToAnnotations(HASH_ANNOTATION, revision.hash())
                .withOwnerReferences(revision.owner())
                .endMetadata()
                .withRevision(number)
                .withData(revision.data())
                .build())
        .create();
  }

  /** Returns the revision of another content that was complete before this one. */
  private static Optional<Kept> previous(List<Kept> newestFirst, Revision revision) {
    List<Kept> kept =
        newestFirst.stream()
            .filter(each -> each.uid().equals(revision.owner().getUid()))
            .filter(each -> each.hash().isPresent())
            .toList();
    Optional<String> hash = Optional.of(revision.hash());
    Optional<Kept> other = kept.stream().filter(each -> !each.hash().equals(hash)).findFirst();
    boolean wentBack =
        other.isPresent()
            && other.get().equals(kept.getFirst())
            && kept.stream().anyMatch(each -> each.hash().equals(hash));
    return wentBack ? Optional.empty() : other;
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
      return Optional.ofNullable(JSON.convertValue(kept.getData(), type));
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
