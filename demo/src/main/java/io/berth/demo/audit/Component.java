package io.berth.demo.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A library in a software bill of materials.
 *
 * @param name the group and the artifact, with a colon between them
 * @param licences the SPDX identifiers of its licences, or their names where there is no identifier
 */
public record Component(String name, String version, List<String> licences) {
  private static final ObjectMapper JSON = new ObjectMapper();

  public Component {
    licences = List.copyOf(licences);
  }

  /**
   * Reads the libraries of a bill of materials in CycloneDX's JSON.
   *
   * @throws IOException if the file cannot be read, or has no components
   */
  public static List<Component> in(Path bom) throws IOException {
    List<Component> components = new ArrayList<>();
    for (JsonNode component : JSON.readTree(bom.toFile()).path("components")) {
      components.add(
          new Component(
              component.path("group").asText() + ":" + component.path("name").asText(),
              component.path("version").asText(),
              licences(component)));
    }
    if (components.isEmpty()) {
      throw new IOException(bom + " has no components: is it CycloneDX's JSON?");
    }
    return components;
  }

  private static List<String> licences(JsonNode component) {
    List<String> licences = new ArrayList<>();
    for (JsonNode choice : component.path("licenses")) {
      JsonNode licence = choice.path("license");
      String text =
          choice.has("expression")
              ? choice.path("expression").asText()
              : licence.path("id").asText(licence.path("name").asText(""));
      if (!text.isEmpty()) {
        licences.add(text);
      }
    }
    return licences;
  }
}
