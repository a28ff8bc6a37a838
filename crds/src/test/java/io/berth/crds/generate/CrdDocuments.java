package io.berth.crds.generate;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The CustomResourceDefinitions as JSON trees, generated from the Java types and completed with
 * settings for which the generator has no annotation.
 */
final class CrdDocuments {

  /** The kinds, in the order of the documentation. */
  static final List<Class<? extends CustomResource<?, ?>>> KINDS =
      List.of(
          NodeSchedulerConfig.class,
          PodSchedulerConfig.class,
          SchedulerConfigBinding.class,
          SchedulingPolicy.class,
          SchedulingQueue.class);

  private static final ObjectMapper JSON = new ObjectMapper();

  private CrdDocuments() {}

  /** Returns each kind's definition by its plural name, in the order of {@link #KINDS}. */
  static Map<String, ObjectNode> generate() {
    Map<String, ObjectNode> byName = new LinkedHashMap<>();
    try (var discarded = new Discarded()) {
      new CRDGenerator()
          .withOutput(discarded)
          .withPostProcessor(new Collector(byName))
          .customResourceClasses(List.copyOf(KINDS))
          .detailedGenerate();
    }
    Map<String, ObjectNode> ordered = new LinkedHashMap<>();
    for (Class<? extends CustomResource<?, ?>> kind : KINDS) {
      ObjectNode definition = byName.get(CustomResource.getCRDName(kind));
      if (definition == null) {
        throw new IllegalStateException("no definition was generated for " + kind.getName());
      }
      PrinterColumns.complete(kind, definition);
      SchemaCompletion.complete(definition);
      ordered.put(HasMetadata.getPlural(kind), definition);
    }
    return ordered;
  }

  private record Collector(Map<String, ObjectNode> byName) implements CRDPostProcessor {

    @Override
    public HasMetadata process(HasMetadata definition, String version) {
      byName.put(definition.getMetadata().getName(), tree(definition));
      return definition;
    }

    private static ObjectNode tree(HasMetadata definition) {
      try {
        return (ObjectNode) JSON.readTree(new KubernetesSerialization().asJson(definition));
      } catch (IOException e) {
        throw new IllegalStateException("the generator's own definition is not JSON", e);
      }
    }
  }

  /** Discards the output of the generator, because the files are written from the trees instead. */
  private static final class Discarded implements CRDGenerator.CRDOutput<OutputStream> {
    @Override
    public OutputStream outputFor(String name) {
      return new ByteArrayOutputStream();
    }

    @Override
    public void close() {}
  }
}
