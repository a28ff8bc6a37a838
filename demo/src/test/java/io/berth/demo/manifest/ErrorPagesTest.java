package io.berth.demo.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.crds.NodeSchedulerConfig;
import io.berth.crds.PodSchedulerConfig;
import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingQueue;
import io.berth.demo.cluster.Checkout;
import io.berth.operator.admission.WebhookEndpoint;
import io.berth.operator.policy.ServablePolicies;
import io.berth.webhook.admission.AdmissionObserver;
import io.berth.webhook.admission.AdmissionPath;
import io.berth.webhook.admission.AdmissionService;
import io.berth.webhook.admission.BadReviewException;
import io.berth.webhook.admission.ConfigLookup;
import io.berth.webhook.admission.PodMutator;
import io.berth.webhook.admission.PodVerdict;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.binding.OwnerLookup;
import io.berth.webhook.error.ErrorCode;
import io.berth.webhook.error.Problem;
import io.berth.webhook.legacy.LegacyPolicies;
import io.berth.webhook.legacy.LegacyTranslation;
import io.berth.webhook.validation.ValidationResult;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The documentation of error codes: each code has a page, and the message on it is the one that
 * Berth returns.
 */
class ErrorPagesTest {

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  static List<ErrorPage> pages() throws IOException {
    return ErrorPage.all();
  }

  @Test
  void everyCode_hasAPage_andIsInTheIndex() throws IOException {
    List<String> codes = Arrays.stream(ErrorCode.values()).map(ErrorCode::id).toList();
    String index = Files.readString(ErrorPage.FOLDER.resolve("README.md"));

    assertThat(pages().stream().map(ErrorPage::code)).containsExactlyInAnyOrderElementsOf(codes);
    assertThat(
            pages().stream()
                .map(
                    page ->
                        "| [%s](%s.md) | %s |"
                            .formatted(
                                page.code(),
                                page.code(),
                                page.title().substring(("# " + page.code() + ": ").length()))))
        .allSatisfy(line -> assertThat(index).contains(line));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void page_saysWhatHappened_withAnExample_andWhatToDo(ErrorPage page) {
    assertThat(page.title()).startsWith("# " + page.code() + ": ");
    assertThat(page.headings()).containsExactly("## What happened", "## Example", "## What to do");
    assertThat(page.message()).startsWith(page.code());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void example_isAnsweredAsThePageSays(ErrorPage page) throws IOException {
    if (page.manifests().isPresent()) {
      assertThat(said(page.manifests().get())).contains(page.message());
    }
  }

  @Test
  void readme_showsTheAnswerToAMisspelledName() throws IOException {
    Path root = Checkout.find().root();
    String config = Files.readString(root.resolve("samples/resource-pool/config.yaml"));
    String pod =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: web
          namespace: default
          annotations: {scb.sched.cloud.ctrip.com/nsc: resource-pool-exampel}
        spec: {}
        """;

    String readme = Files.readString(root.resolve("README.md"));
    int start = readme.indexOf("BERTH-1601");
    String shown = readme.substring(start, readme.indexOf("\n```", start)).replace("]:\n", "]: ");
    assertThat(said(config + "\n---\n" + pod)).containsExactly(shown);
  }

  /** Returns the messages for the last of the documents if the others exist. */
  private static List<String> said(String manifests) throws IOException {
    ServablePolicies servable = new ServablePolicies();
    servable.kept(Map.of());
    LiveCatalog catalog = new LiveCatalog("berth-system", OwnerLookup.byName(), servable);
    try (MappingIterator<JsonNode> read = YAML.readerFor(JsonNode.class).readValues(manifests)) {
      List<JsonNode> documents = read.readAll();
      for (JsonNode document : documents.subList(0, documents.size() - 1)) {
        catalog.put(resource(document));
      }
      return judge(documents.getLast(), catalog);
    }
  }

  private static List<String> judge(JsonNode object, LiveCatalog catalog) {
    String namespace = object.at("/metadata/namespace").asText("");
    String name = object.at("/metadata/name").asText();
    return switch (object.path("kind").asText()) {
      case "Pod" ->
          switch (new PodMutator(ConfigLookup.nothing(), InstantSource.system())
              .mutate(namespace, object, catalog.get())) {
            case PodVerdict.Denied denied -> denied.message().lines().toList();
            case PodVerdict.Admitted admitted ->
                admitted.warnings().stream().map(Problem::text).toList();
          };
      case "Deployment" -> warnings(object, namespace, catalog);
      case "ConfigMap" ->
          switch (LegacyPolicies.translate(object.path("data").iterator().next().asText())) {
            case LegacyTranslation.Translated _ -> List.of();
            case LegacyTranslation.Untranslatable refused ->
                refused.problems().stream().map(Problem::text).toList();
          };
      default -> {
        ValidationResult findings =
            WebhookEndpoint.validator()
                .validate(object.path("kind").asText(), namespace, name, object, catalog.get());
        yield Stream.concat(findings.problems().stream(), findings.warnings().stream())
            .map(Problem::text)
            .toList();
      }
    };
  }

  private static List<String> warnings(JsonNode workload, String namespace, LiveCatalog catalog) {
    ObjectNode review = JsonNodeFactory.instance.objectNode();
    review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
    ObjectNode request = review.putObject("request");
    request.put("uid", "page").put("operation", "CREATE").put("namespace", namespace);
    request.putObject("kind").put("kind", workload.path("kind").asText());
    request.set("object", workload);
    try {
      byte[] answer =
          new AdmissionService(
                  catalog,
                  new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
                  WebhookEndpoint.validator(),
                  AdmissionObserver.none())
              .review(
                  AdmissionPath.WARN_WORKLOADS, review.toString().getBytes(StandardCharsets.UTF_8));
      List<String> warnings = new ArrayList<>();
      YAML.readTree(answer)
          .at("/response/warnings")
          .forEach(warning -> warnings.add(warning.asText()));
      return warnings;
    } catch (BadReviewException | IOException e) {
      throw new IllegalStateException("the review is wrong", e);
    }
  }

  private static HasMetadata resource(JsonNode document) throws IOException {
    ((ObjectNode) document.path("metadata")).put("generation", 1);
    Class<? extends HasMetadata> kind =
        switch (document.path("kind").asText()) {
          case "NodeSchedulerConfig" -> NodeSchedulerConfig.class;
          case "PodSchedulerConfig" -> PodSchedulerConfig.class;
          case "SchedulerConfigBinding" -> SchedulerConfigBinding.class;
          case "SchedulingQueue" -> SchedulingQueue.class;
          default -> SchedulingPolicy.class;
        };
    return YAML.treeToValue(document, kind);
  }
}
