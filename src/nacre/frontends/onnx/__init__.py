"""ONNX files: opset 7 and later."""
