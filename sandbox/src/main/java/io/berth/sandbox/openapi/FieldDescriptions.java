package io.berth.sandbox.openapi;

import io.berth.sandbox.release.ApiType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The Kubernetes documentation of an API type and its fields. It is read from the annotations in
 * the class files of the Java client's model classes, which are never loaded.
 *
 * @param type description of the type itself; empty if it has none
 * @param fields descriptions of fields by JSON name; fields that refer to another type have none
 */
record FieldDescriptions(String type, Map<String, String> fields) {
  private static final String MODELS = "/io/kubernetes/client/openapi/models/";
  private static final FieldDescriptions NONE = new FieldDescriptions("", Map.of());

  /** Reads the descriptions of a type. They are empty if the client has no class for it. */
  static FieldDescriptions of(ApiType type) {
    String group = type.name().substring(0, type.name().indexOf('.'));
    String prefix = group.substring(0, 1).toUpperCase(Locale.ROOT) + group.substring(1);
    return bytes(prefix + "V1" + type.kind())
        .or(() -> bytes("V1" + type.kind()))
        .map(bytes -> read(ClassFile.of().parse(bytes)))
        .orElse(NONE);
  }

  private static Optional<byte[]> bytes(String name) {
    try (InputStream in = FieldDescriptions.class.getResourceAsStream(MODELS + name + ".class")) {
      return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("the model class " + name + " could not be read", e);
    }
  }

  private static FieldDescriptions read(ClassModel model) {
    Map<String, String> byGetter = new HashMap<>();
    for (MethodModel method : model.methods()) {
      String text = element(method, "ApiModelProperty", "value");
      if (!text.isEmpty()) {
        byGetter.put(method.methodName().stringValue(), text);
      }
    }
    Map<String, String> fields = new HashMap<>();
    for (FieldModel field : model.fields()) {
      String name = field.fieldName().stringValue();
      String getter = "get" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
      String json = element(field, "SerializedName", "value");
      if (!json.isEmpty() && byGetter.containsKey(getter)) {
        fields.put(json, byGetter.get(getter));
      }
    }
    return new FieldDescriptions(element(model, "ApiModel", "description"), Map.copyOf(fields));
  }

  /** Returns the string value of an annotation element; empty if there is none. */
  private static String element(AttributedElement element, String annotation, String name) {
    List<Annotation> annotations =
        element
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .map(attribute -> attribute.annotations())
            .orElse(List.of());
    for (Annotation each : annotations) {
      if (each.className().stringValue().endsWith("/" + annotation + ";")) {
        for (AnnotationElement part : each.elements()) {
          if (part.name().equalsString(name)
              && part.value() instanceof AnnotationValue.OfString s) {
            return s.stringValue();
          }
        }
      }
    }
    return "";
  }
}
