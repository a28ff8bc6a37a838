package io.berth.demo.cluster;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Applies manifest files as {@code kubectl apply --server-side} does. */
public final class Manifests {
  private static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("berth-demo")
          .withForce(true)
          .build();

  private static final PatchContext APPLY_DRY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("berth-demo")
          .withForce(true)
          .withDryRun(List.of("All"))
          .build();

  private final KubernetesClient client;

  public Manifests(KubernetesClient client) {
    this.client = client;
  }

  /** Reads the objects of a file. */
  public List<HasMetadata> read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return client.load(in).items();
    } catch (IOException e) {
      throw new IllegalStateException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  /** Applies an object and returns the result from the API server. */
  public HasMetadata apply(HasMetadata object) {
    return client.resource(object).patch(APPLY);
  }

  /** Applies an object as with {@code --dry-run=server}: it is validated but not stored. */
  public HasMetadata applyDry(HasMetadata object) {
    return client.resource(object).patch(APPLY_DRY);
  }

  /** Applies the objects in the files that match a predicate. */
  public void apply(List<Path> files, Predicate<HasMetadata> wanted) {
    for (Path file : files) {
      for (HasMetadata object : read(file)) {
        if (wanted.test(object)) {
          apply(object);
        }
      }
    }
  }
}
