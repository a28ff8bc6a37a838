package io.berth.sandbox.release;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A type of the Kubernetes API.
 *
 * @param name name with group and version, for example {@code core.v1.Pod}
 * @param apiVersion API version of a kind, {@code *} for all groups; empty if the type is not a
 *     kind
 * @param union whether its JSON encoding is the value of its first field that is set
 * @param atomic whether apply replaces it as a whole
 * @param fields fields in the order of the release
 * @param byNumber the same fields by their number in protobuf messages
 */
public record ApiType(
    String name,
    String apiVersion,
    boolean union,
    boolean atomic,
    List<ApiField> fields,
    Map<Integer, ApiField> byNumber) {

  /** Parses the lines of a type in the table. */
  static ApiType parse(String header, List<String> lines) {
    List<String> words = List.of(header.split(" ", -1));
    List<ApiField> fields = new ArrayList<>();
    Map<Integer, ApiField> byNumber = new HashMap<>();
    for (String line : lines) {
      ApiField field = ApiField.parse(line);
      fields.add(field);
      byNumber.put(field.number(), field);
    }
    return new ApiType(
        words.getFirst(),
        words.stream()
            .filter(word -> word.startsWith("kind="))
            .map(word -> word.substring("kind=".length()))
            .findFirst()
            .orElse(""),
        words.contains("union"),
        words.contains("map=atomic"),
        List.copyOf(fields),
        Map.copyOf(byNumber));
  }

  /** Returns the name of the kind, without its group. */
  public String kind() {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Returns the name of the type in OpenAPI documents. */
  public String openApiName() {
    String module =
        switch (name.substring(0, name.indexOf('.'))) {
          case "meta" -> "io.k8s.apimachinery.pkg.apis.";
          case "apiextensions" -> "io.k8s.apiextensions-apiserver.pkg.apis.";
          case "apiregistration" -> "io.k8s.kube-aggregator.pkg.apis.";
          default -> "io.k8s.api.";
        };
    return module + name;
  }
}
