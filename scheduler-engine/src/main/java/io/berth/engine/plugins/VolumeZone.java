package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.model.PodVolume;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rejects nodes outside the zone or region in the labels of the pod's bound volumes. */
public record VolumeZone() implements FilterPlugin {
  private static final String OLD_ZONE = "failure-domain.beta.kubernetes.io/zone";
  private static final String OLD_REGION = "failure-domain.beta.kubernetes.io/region";
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String REGION = "topology.kubernetes.io/region";
  private static final List<String> KEYS = List.of(OLD_ZONE, OLD_REGION, ZONE, REGION);
  private static final String SEPARATOR = "__";

  record Question(String namespace, List<PodVolume> volumes) {}

  /** A node label, and its values that a volume allows. */
  private record Place(String key, Set<String> values) {}

  @Override
  public String name() {
    return "VolumeZone";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (!VolumeFilter.hasNamedClaims(shape)) {
      return Optional.empty();
    }
    Question question = new Question(shape.namespace(), shape.spec().volumes());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.when(node.before() == null || !node.before().labels().equals(node.after().labels()));
      case Change.StorageChanged changed ->
          changed.kind().equals(Volume.KIND) || changed.kind().equals(StorageClass.KIND)
              ? Cure.all()
              : Cure.of((shape, state) -> VolumeFilter.isOwnClaim(changed, shape));
      default -> Cure.none();
    };
  }

  private static final class Answer extends VolumeFilter implements VerdictFigures {
    private final Question question;
    private final int elsewhere;
    private final List<Place> places = new ArrayList<>();

    Answer(Question question, ClusterState state) {
      super(question, question.namespace(), question.volumes(), state, state.nodes().labelLog());
      this.question = question;
      this.elsewhere = idOf(Verdict.unresolvable("node(s) had no available volume zone"));
    }

    @Override
    public boolean readsPods() {
      return false;
    }

    @Override
    protected Optional<Verdict> read() {
      places.clear();
      for (PodVolume volume : question.volumes()) {
        if (volume instanceof PodVolume.Claim claim && claim.madeFor().isEmpty()) {
          Optional<String> problem = addPlaces(claim.claimName());
          if (problem.isPresent()) {
            return problem.map(Verdict::unresolvable);
          }
        }
      }
      return Optional.empty();
    }

    private Optional<String> addPlaces(String claimName) {
      if (claimName.isEmpty()) {
        return Optional.of("PersistentVolumeClaim had no name");
      }
      Optional<VolumeClaim> claim = storage.claim(question.namespace(), claimName);
      if (claim.isEmpty()) {
        return Optional.of(notFound("persistentvolumeclaim", claimName));
      }
      String volumeName = claim.get().volumeName();
      if (volumeName.isEmpty()) {
        return problemOfUnbound(claim.get());
      }
      Optional<Volume> volume = storage.volume(volumeName);
      volume.ifPresent(found -> addPlaces(found.labels()));
      return volume.isPresent()
          ? Optional.empty()
          : Optional.of(notFound("persistentvolume", volumeName));
    }

    /**
     * Returns the problem of a claim without a volume. A claim that waits for its first consumer
     * has no zone yet, and is no problem.
     */
    private Optional<String> problemOfUnbound(VolumeClaim claim) {
      if (claim.storageClass().isEmpty()) {
        return Optional.of("PersistentVolumeClaim had no pv name and storageClass name");
      }
      Optional<StorageClass> storageClass = storage.storageClass(claim.storageClass());
      if (storageClass.isEmpty()) {
        return Optional.of(notFound("storageclass.storage.k8s.io", claim.storageClass()));
      }
      if (storageClass.get().waitsForConsumer().isEmpty()) {
        return Optional.of(
            "VolumeBindingMode not set for StorageClass \"" + claim.storageClass() + "\"");
      }
      return storageClass.get().waitsForConsumer().get()
          ? Optional.empty()
          : Optional.of("PersistentVolume had no name");
    }

    private void addPlaces(Map<String, String> labels) {
      for (String key : KEYS) {
        String value = labels.get(key);
        if (value != null) {
          Set<String> values = new HashSet<>();
          for (String zone : value.split(SEPARATOR, -1)) {
            values.add(zone.strip());
          }
          // A label without any zone is ignored.
          if (!values.contains("")) {
            places.add(new Place(key, values));
          }
        }
      }
    }

    @Override
    protected Optional<NodeSet> mayRejectByNode() {
      return places.isEmpty() ? Optional.of(NO_NODES) : Optional.empty();
    }

    @Override
    protected int checkNode(int slot) {
      if (places.isEmpty()) {
        return PASSES;
      }
      Map<String, String> labels = nodes.model(slot).labels();
      if (KEYS.stream().noneMatch(labels::containsKey)) {
        return PASSES;
      }
      for (Place place : places) {
        String value = valueOf(place, labels);
        if (value == null || !place.values().contains(value)) {
          return elsewhere;
        }
      }
      return PASSES;
    }

    private static @Nullable String valueOf(Place place, Map<String, String> labels) {
      String value = labels.get(place.key());
      return value == null ? labels.get(successor(place.key())) : value;
    }

    @Override
    public String figures(int slot) {
      Map<String, String> labels = nodes.model(slot).labels();
      return places.stream()
          .map(
              place ->
                  "a volume is in %s of %s, the node in %s"
                      .formatted(
                          String.join(" or ", new TreeSet<>(place.values())),
                          place.key(),
                          Objects.requireNonNullElse(valueOf(place, labels), "none")))
          .collect(Collectors.joining("; "));
    }

    private static String successor(String key) {
      return switch (key) {
        case OLD_ZONE -> ZONE;
        case OLD_REGION -> REGION;
        default -> key;
      };
    }
  }
}
