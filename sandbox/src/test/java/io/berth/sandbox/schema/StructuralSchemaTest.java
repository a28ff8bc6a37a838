package io.berth.sandbox.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StructuralSchemaTest {
  private static final String SCHEMA =
      """
      type: object
      properties:
        spec:
          type: object
          required: [size]
          x-kubernetes-validations:
          - rule: self.min <= self.size
            messageExpression: "'size must be at least ' + string(self.min)"
            fieldPath: .size
          - {rule: 'self.size >= oldSelf.size', message: size must not shrink}
          properties:
            size: {type: integer, minimum: 1, maximum: 10}
            min: {type: integer, default: 0}
            name: {type: string, pattern: '^[a-z]+$', maxLength: 5}
            mode: {type: string, enum: [Fast, Slow]}
            weight: {x-kubernetes-int-or-string: true}
            labels: {type: object, additionalProperties: {type: string}}
            raw: {type: object, x-kubernetes-preserve-unknown-fields: true}
            items:
              type: array
              x-kubernetes-list-type: map
              x-kubernetes-list-map-keys: [id]
              items:
                type: object
                required: [id]
                properties:
                  id: {type: string}
                  on: {type: boolean, default: true}
      """;

  private final StructuralSchemaCompiler compiler = new StructuralSchemaCompiler();
  private final CustomResourceSchema schema = compiler.compile(yaml(SCHEMA));

  @Test
  void values_areHeldAgainstTheirConstraints_inTheServersWords() {
    assertThat(errors("{size: 0}"))
        .containsExactly(
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1");
    assertThat(errors("{size: x}"))
        .containsExactly(
            "spec.size: Invalid value: \"string\": spec.size in body must be of type integer:"
                + " \"string\"");
    assertThat(errors("{name: UP, size: 1}"))
        .containsExactly(
            "spec.name: Invalid value: \"UP\": spec.name in body should match '^[a-z]+$'");
    assertThat(errors("{name: abcdef, size: 1}"))
        .containsExactly("spec.name: Too long: may not be more than 5 bytes");
    assertThat(errors("{mode: Medium, size: 1}"))
        .containsExactly(
            "spec.mode: Unsupported value: \"Medium\": supported values: \"Fast\", \"Slow\"");
    assertThat(errors("{}")).containsExactly("spec.size: Required value");
    assertThat(errors("{size: 1, weight: true}"))
        .containsExactly(
            "spec.weight: Invalid value: \"boolean\": spec.weight in body must be of type"
                + " integer,string: \"boolean\"");
    assertThat(errors("{size: 1, weight: '${Weight}'}")).isEmpty();
    assertThat(errors("{size: 1, items: [{id: a}, {id: a}]}"))
        .containsExactly("spec.items[1]: Duplicate value: map[string]interface {}{\"id\":\"a\"}");
  }

  @Test
  void unknownFields_arePruned_exceptWhereTheyArePreserved() {
    ObjectNode object =
        object("{size: 1, zip: 1, raw: {a: 1}, labels: {x: y}, items: [{id: a, b: 1}]}");

    assertThat(schema.prune(object)).containsExactly("spec.zip", "spec.items[0].b");
    assertThat(object.path("spec"))
        .isEqualTo(yaml("{size: 1, raw: {a: 1}, labels: {x: y}, items: [{id: a}]}"));
  }

  @Test
  void defaults_areFilledIn_alsoWithinItems() {
    ObjectNode object = object("{size: 1, items: [{id: a}, {id: b, on: false}]}");

    schema.applyDefaults(object);

    assertThat(object.path("spec"))
        .isEqualTo(yaml("{size: 1, items: [{id: a, on: true}, {id: b, on: false}], min: 0}"));
  }

  @Test
  void rules_seeTheObjectAndWhatItWas() {
    assertThat(errors("{size: 1, min: 3}"))
        .containsExactly("spec.size: Invalid value: size must be at least 3");
    List<FieldError> shrunk =
        schema.validate(object("{size: 1, min: 0}"), Optional.of(object("{size: 2, min: 0}")));
    assertThat(shrunk)
        .extracting(FieldError::text)
        .containsExactly("spec: Invalid value: size must not shrink");
  }

  @Test
  void unchangedValues_areNotHeldAgainstAStricterSchema() {
    ObjectNode old = object("{size: 99, min: 0, mode: Fast}");
    ObjectNode changed = object("{size: 99, min: 0, mode: Slow}");

    assertThat(schema.validate(changed, Optional.of(old))).isEmpty();
  }

  @Test
  void check_refusesRulesThatDoNotCompile_andSchemasThatAreNotStructural() {
    assertThat(
            compiler.check(
                yaml(
                    """
                    type: object
                    properties: {spec: {type: object, properties: {a: {type: string}}}}
                    x-kubernetes-validations: [{rule: self.spec.b == 1}]
                    """),
                "s"))
        .singleElement()
        .satisfies(
            error -> {
              assertThat(error.field()).isEqualTo("s.x-kubernetes-validations[0].rule");
              assertThat(error.message())
                  .contains("compilation failed")
                  .contains("undefined field");
            });
    assertThat(
            compiler.check(
                yaml("{type: object, x-kubernetes-validations: [{rule: self = 4}]}"), "s"))
        .singleElement()
        .satisfies(error -> assertThat(error.message()).contains("Syntax error: "));
    assertThat(compiler.check(yaml("{type: object, properties: {a: {description: x}}}"), "s"))
        .extracting(FieldError::text)
        .containsExactly(
            "s.properties[a].type: Required value: must not be empty for specified object fields");
    assertThat(compiler.check(yaml(SCHEMA), "s")).isEmpty();
  }

  @Test
  void brokenRulesOfMapValues_nameTheirKeyInBrackets() {
    CustomResourceSchema rules =
        compiler.compile(
            yaml(
                """
                type: object
                properties:
                  map:
                    type: object
                    additionalProperties:
                      type: object
                      properties:
                        size: {type: integer, x-kubernetes-validations: [{rule: self > 1}]}
                """));

    assertThat(rules.validate((ObjectNode) yaml("{map: {a: {size: 1}}}"), Optional.empty()))
        .extracting(FieldError::field)
        .containsExactly("map[a].size");
  }

  @Test
  void kubernetesFunctions_canBeUsed() {
    CustomResourceSchema rules =
        compiler.compile(
            yaml(
                """
                type: object
                properties:
                  names:
                    type: array
                    items: {type: string}
                    x-kubernetes-validations:
                    - {rule: self.isSorted(), message: sort them}
                    - {rule: "self.all(n, n.find('[0-9]+') == '' || n.startsWith('x'))"}
                  memory:
                    type: string
                    x-kubernetes-validations:
                    - {rule: "isQuantity(self) && quantity(self).isLessThan(quantity('1Gi'))"}
                  labels:
                    type: object
                    additionalProperties: {type: string}
                    x-kubernetes-validations:
                    - {rule: "self.all(k, self[k].lowerAscii() == self[k])"}
                  opt:
                    type: object
                    properties: {a: {type: string}}
                    x-kubernetes-validations:
                    - {rule: "!has(self.a) || self.a.split(',').size() < 3"}
                """));

    assertThat(
            rules.validate(
                (ObjectNode)
                    yaml("{names: [a, x1], memory: 512Mi, labels: {A: b}, opt: {a: 'x,y'}}"),
                Optional.empty()))
        .isEmpty();
    assertThat(
            rules.validate(
                (ObjectNode) yaml("{names: [b, a1], memory: 2Gi, labels: {A: B}, opt: {}}"),
                Optional.empty()))
        .hasSize(4);
  }

  private List<String> errors(String spec) {
    ObjectNode object = object(spec);
    schema.applyDefaults(object);
    return schema.validate(object, Optional.empty()).stream().map(FieldError::text).toList();
  }

  private static ObjectNode object(String spec) {
    ObjectNode object = Json.object();
    object.set("spec", yaml(spec));
    return object;
  }

  private static JsonNode yaml(String yaml) {
    try {
      return Json.MAPPER.readTree(new YAMLMapper().readTree(yaml).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
