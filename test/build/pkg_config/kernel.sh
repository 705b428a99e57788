nvcc -std=c++17 $(pkg-config --variable=gpu_arch_args tessera) $(pkg-config --cflags tessera) \
  row_sums.cu -o row_sums $(pkg-config --libs tessera)
