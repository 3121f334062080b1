package dev.muster.platform.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The SQL of the server, as its class files have it: the texts that name a table or a view.
 *
 * <p>A statement is a text that a method passes on whole: a constant, a static field, or a field of
 * an enum constant. Any other text must be part of a statement. A text with gaps may be completed
 * only where fields get their values, since it could be completed to anything at run time.
 */
final class ServerStatements {

  /** Where a text gets other texts: {@code %s}, {@code {NAME}}, or in a concatenation. */
  private static final Pattern GAP = Pattern.compile("%s|\\{[A-Z_]+}|\\x01");

  private final Pattern relation;
  private final Map<String, String> passed = new TreeMap<>();
  private final Map<String, String> all = new TreeMap<>();
  private final Set<String> completing = new TreeSet<>();
  private final Map<String, Set<String>> callers = new TreeMap<>();

  /** Reads the class files of a folder. */
  ServerStatements(Path folder, Set<String> relations) throws IOException {
    relation =
        Pattern.compile(
            "\\b(from|join|into|update|using|table|truncate)\\s+(only\\s+)?(public\\.)?(%s)\\b"
                .formatted(String.join("|", relations)),
            Pattern.CASE_INSENSITIVE);
    try (Stream<Path> files = Files.walk(folder)) {
      files.filter(file -> file.toString().endsWith(".class")).forEach(this::read);
    }
  }

  /** Whether a text names a table or a view. */
  boolean names(String text) {
    return relation.matcher(text).find();
  }

  /** The texts that are passed on, with the method or the enum constant that has them. */
  Map<String, String> passed() {
    return passed;
  }

  /** All texts, with their classes. */
  Map<String, String> all() {
    return all;
  }

  /** Methods that complete a text at run time, and those that call these. */
  Set<String> completedAtRunTime() {
    Set<String> methods = new TreeSet<>();
    for (String method : completing) {
      methods.addAll(callers.getOrDefault(method, Set.of(method)));
    }
    methods.removeIf(method -> method.contains(".<clinit>") || method.contains(".<init>"));
    return methods;
  }

  static boolean hasGap(String text) {
    return GAP.matcher(text).find();
  }

  /** Whether the pieces between the gaps of a text are parts of one of the statements. */
  static boolean isPartOfOne(String text, Set<String> statements) {
    return statements.stream()
        .anyMatch(statement -> GAP.splitAsStream(text).allMatch(statement::contains));
  }

  private void read(Path file) {
    ClassModel model;
    try {
      model = ClassFile.of().parse(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String type = model.thisClass().asInternalName().replace('/', '.');
    for (PoolEntry entry : model.constantPool()) {
      if (entry instanceof StringEntry text) {
        add(all, text.stringValue(), type);
      }
    }
    for (MethodModel method : model.methods()) {
      String place = type + "." + method.methodName() + method.methodType();
      method.code().ifPresent(code -> code.forEach(element -> read(element, place)));
    }
    if (model
        .superclass()
        .filter(parent -> parent.name().equalsString("java/lang/Enum"))
        .isPresent()) {
      readConstants(type);
    }
  }

  private void read(CodeElement element, String place) {
    switch (element) {
      case LoadConstantInstruction load when load.constantEntry() instanceof StringEntry text ->
          read(text.stringValue(), place);
      case FieldInstruction field
          when field.opcode() == Opcode.GETSTATIC
              && field.type().equalsString("Ljava/lang/String;")
              && field.owner().asInternalName().startsWith("dev/muster/") ->
          read(
              value(type(field.owner().asInternalName()), field.name().stringValue(), null), place);
      case InvokeDynamicInstruction concatenation ->
          concatenation.bootstrapArgs().stream()
              .filter(String.class::isInstance)
              .forEach(recipe -> read((String) recipe, place));
      case InvokeInstruction call ->
          callers
              .computeIfAbsent(
                  call.owner().asInternalName().replace('/', '.') + "." + call.name() + call.type(),
                  _ -> new TreeSet<>())
              .add(place);
      default -> {}
    }
  }

  private void read(@Nullable String text, String place) {
    if (text != null && names(text) && hasGap(text)) {
      completing.add(place);
    } else if (!place.contains(".<clinit>")) {
      add(passed, text, place.substring(0, place.indexOf('(')));
    }
  }

  private void add(Map<String, String> texts, @Nullable String text, String place) {
    if (text != null && names(text)) {
      texts.putIfAbsent(text, place);
    }
  }

  private void readConstants(String name) {
    for (Object constant : type(name).getEnumConstants()) {
      for (Field field : type(name).getDeclaredFields()) {
        if (field.getType() == String.class) {
          add(passed, value(type(name), field.getName(), constant), name + "." + constant);
        }
      }
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name.replace('/', '.'));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static @Nullable String value(Class<?> type, String name, @Nullable Object owner) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return (String) field.get(owner);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + "." + name, e);
    }
  }
}
